// What is this shop's own: its name, its texts, and how it is paid. Colours and type stand in style.css.

export const shop = {
  name: 'Loja de Velas',
  claim: 'Feito à mão, em pequenos lotes',
  hero: {
    title: 'Luz morna e perfume bom para a casa toda',
    text: 'Velas de cera vegetal, difusores e sabonetes artesanais, feitos no Brasil e embrulhados um a um.',
    action: 'Ver as velas',
    /** A category that the shop does not have yet leads to the search. */
    to: '/categoria/velas-aromaticas',
  },
  promises: [
    ['Feito à mão', 'Cera vegetal e pavio de algodão, em pequenos lotes.'],
    ['Envio para todo o Brasil', 'Bem embalado e com código de rastreio.'],
    ['Pague como preferir', 'PIX ou cartão, sem precisar criar conta.'],
  ],
  about: 'Ateliê de velas, perfumes de casa e sabonetes. Cada peça é derramada, curada e embrulhada por nós.',
  /** Where the server knows no e-mail of the shop's. */
  email: 'contato@example.com',
  /** Links at the foot of every screen; those to pages below are shown once these have content. */
  links: [
    ['/contato', 'Fale com a gente'],
    ['/p/sobre', 'Sobre a loja'],
  ],
  /** The shop's own pages: the last part of their address, and how the page builder calls them.
   * @type {Record<string, { key: string, title: string }>} */
  pages: {
    inicio: { key: 'pagebuilder', title: 'Início' },
    sobre: { key: 'pagebuilderAbout', title: 'Sobre a loja' },
  },
  /** A price of which parts are shown, as "3x de"; 1 shows none. */
  installments: 3,
  /** No part is smaller than this, in reais. */
  smallestInstallment: 20,
};
