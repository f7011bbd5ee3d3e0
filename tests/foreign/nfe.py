"""Judges invoices, cancellations and correction letters: by the official schemas that nfelib brings along, by signxml as
another engine of signatures, and read anew by nfelib's classes, with the arithmetic done again.

usage: nfe.py FOLDER
"""

import base64
import re
import sys
from decimal import Decimal
from pathlib import Path

import nfelib
import signxml
from cryptography import x509
from lxml import etree
from nfelib.nfe.bindings.v4_0.nfe_v4_00 import Nfe
from nfelib.nfe.bindings.v4_0.proc_nfe_v4_00 import NfeProc
from nfelib.nfe_evento_cancel.bindings.v1_0.proc_evento_canc_nfe_v1_00 import ProcEventoNfe as Cancellation
from nfelib.nfe_evento_cce.bindings.v1_0.proc_cce_nfe_v1_00 import ProcEventoNfe as Correction
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from xsdata.formats.dataclass.parsers import XmlParser

NFE = "{http://www.portalfiscal.inf.br/nfe}"
CERTIFICATE = "{http://www.w3.org/2000/09/xmldsig#}X509Certificate"
SCHEMAS = {
    "NFe": "nfe/schemas/v4_0/nfe_v4.00.xsd",
    "nfeProc": "nfe/schemas/v4_0/procNFe_v4.00.xsd",
    "110111": "nfe_evento_cancel/schemas/v1_0/procEventoCancNFe_v1.00.xsd",
    "110110": "nfe_evento_cce/schemas/v1_0/procCCeNFe_v1.00.xsd",
}
EVENTS = {"110111": Cancellation, "110110": Correction}
CENT = Decimal("0.01")


class Judged:
    """A document and what is wrong with it."""

    def __init__(self, file):
        self.raw = file.read_bytes()
        self.root = etree.fromstring(self.raw, etree.XMLParser(resolve_entities=False, no_network=True))
        # What it is, or for an event which one.
        event = self.root.findtext(f"{NFE}evento/{NFE}infEvento/{NFE}tpEvento")
        self.kind = event or etree.QName(self.root).localname
        self.wrong = []

    def must(self, holds, text):
        if not holds:
            self.wrong.append(text)

    def same(self, what, found, expected):
        self.must(found == expected, f"{what} is {found}, must be {expected}")


def amount(value):
    return Decimal(str(value or "0"))


def word(value):
    """An enum's value, or the text itself."""
    return str(getattr(value, "value", value))


def check_digit(text):
    total = sum((ord(c) - 48) * (2 + at % 8) for at, c in enumerate(reversed(text)))
    return str(0 if total % 11 < 2 else 11 - total % 11)


def situation(item):
    """The CSOSN of an item, whichever group has it."""
    groups = [group for group in vars(item.imposto.ICMS).values() if group is not None]
    return word(getattr(groups[0], "CSOSN", "")) if groups else ""


def check_form(doc):
    doc.must(not any(isinstance(e.tag, str) and e.prefix for e in doc.root.iter()), "it has prefixes (404)")
    body = doc.raw.split(b"?>", 1)[-1].strip()
    doc.must(not re.search(rb">\s+<", body), "white space stands between tags (588)")
    doc.must(not doc.root.xpath("//*[not(*) and not(text()) and not(@Algorithm)]"), "a tag is empty")


def check_schema(doc):
    schema = etree.XMLSchema(etree.parse(str(Path(nfelib.__file__).parent / SCHEMAS[doc.kind])))
    if not schema.validate(doc.root):
        doc.wrong.extend(f"schema: {error.message}" for error in schema.error_log)


def check_signature(doc):
    signed = [doc.root] if doc.kind == "NFe" else list(doc.root.iterchildren(f"{NFE}NFe", f"{NFE}evento"))
    doc.must(signed, "nothing is signed")
    config = signxml.SignatureConfiguration(
        signature_methods=frozenset({SignatureMethod.RSA_SHA1}),
        digest_algorithms=frozenset({DigestAlgorithm.SHA1}),
        require_x509=True,
        expect_references=1,
    )
    for element in signed:
        # Alone, as the tax office cuts it out; lxml writes a wrong xmlns="" for a part of a document.
        alone = etree.fromstring(etree.tostring(element, method="c14n"))
        own = x509.load_der_x509_certificate(base64.b64decode(alone.find(f".//{CERTIFICATE}").text))
        verifier = signxml.XMLVerifier()
        verifier.excise_empty_xmlns_declarations = True
        try:
            verifier.verify(alone, x509_cert=own, expect_config=config, id_attribute="Id")
        except Exception as error:  # signxml's errors have no class of their own
            doc.wrong.append(f"signxml: {type(error).__name__}: {error}")


def check_key(doc, inf):
    key, ide = inf.Id.removeprefix("NFe"), inf.ide
    doc.same("the check digit", key[43], check_digit(key[:43]))
    when = ide.dhEmi
    fields = [word(ide.cUF), when[2:4] + when[5:7], inf.emit.CNPJ, word(ide.mod), ide.serie.zfill(3),
              ide.nNF.zfill(9), word(ide.tpEmis), ide.cNF, ide.cDV]
    doc.same("the key", key, "".join(fields))


def check_totals(doc, inf):
    total, items = inf.total.ICMSTot, inf.det
    for tag in ("vProd", "vFrete", "vSeg", "vDesc", "vOutro"):
        doc.same(f"the sum of {tag}", sum(amount(getattr(it.prod, tag)) for it in items), amount(getattr(total, tag)))
    for at, item in enumerate(items, 1):
        for units, price in (("qCom", "vUnCom"), ("qTrib", "vUnTrib")):
            product = amount(getattr(item.prod, units)) * amount(getattr(item.prod, price))
            doc.must(abs(product - amount(item.prod.vProd)) <= CENT, f"item {at}: {units} x {price} (629, 630)")
        doc.must(amount(item.prod.vDesc) <= amount(item.prod.vProd), f"item {at}: the discount is too large")
    plus = ("vProd", "vST", "vFCPST", "vFrete", "vSeg", "vOutro", "vII", "vIPI", "vIPIDevol")
    expected = sum(amount(getattr(total, tag)) for tag in plus) - amount(total.vDesc) - amount(total.vICMSDeson)
    doc.same("vNF", amount(total.vNF), expected)
    paid = sum(amount(it.vPag) for it in inf.pag.detPag)
    means = {it.tPag for it in inf.pag.detPag}
    doc.same("the payments", paid, Decimal(0) if means == {"90"} else amount(total.vNF))


def check_parties(doc, inf):
    ide = inf.ide
    same_state = word(inf.emit.enderEmit.UF) == word(inf.dest.enderDest.UF)
    doc.same("idDest", word(ide.idDest), "1" if same_state else "2")
    entry = word(ide.tpNF) == "0"
    first = ("1" if same_state else "2") if entry else ("5" if same_state else "6")
    codes = [it.prod.CFOP for it in inf.det]
    doc.must(all(code[0] == first for code in codes), f"CFOP {codes} with tpNF {word(ide.tpNF)}")
    at_a_distance = word(ide.indPres) in ("2", "3", "4", "9")
    doc.same("whether indIntermed is there (434, 435)", ide.indIntermed is not None, at_a_distance)
    for at, item in enumerate(inf.det, 1):
        doc.must(situation(item), f"item {at} has no CSOSN (590)")


def check_return(doc, inf):
    """An entry of goods that come back: facts of the layout that no schema states."""
    doc.same("tpNF of a return", word(inf.ide.tpNF), "0")
    doc.same("indPres of a return", word(inf.ide.indPres), "0")
    doc.must(not inf.ide.NFref, "a return has references in its head")
    doc.same("tPag of a return (871)", [it.tPag for it in inf.pag.detPag], ["90"])
    mei = word(inf.emit.CRT) == "4"
    allowed = {"1202", "2202"} if mei else {"1201", "1202", "1410", "1411", "1949", "2201", "2202", "2410", "2411", "2949"}
    pairs = set()
    for at, item in enumerate(inf.det, 1):
        doc.must(item.prod.CFOP in allowed, f"item {at}: CFOP {item.prod.CFOP} (327, 1179)")
        doc.must(not mei or situation(item) == "900", f"item {at}: CSOSN {situation(item)} of a MEI (337)")
        sold = item.DFeReferenciado
        if sold is None or not sold.chaveAcesso:
            doc.wrong.append(f"item {at}: no reference (321)")
            continue
        doc.must(sold.nItem, f"item {at}: no item of the sale (1048)")
        doc.must((sold.chaveAcesso, sold.nItem) not in pairs, f"item {at}: the reference comes twice (1072)")
        doc.same(f"item {at}: the sale's issuer (1193)", sold.chaveAcesso[6:20], inf.emit.CNPJ)
        pairs.add((sold.chaveAcesso, sold.nItem))


def check_invoice(doc):
    text = doc.raw.decode()
    nfe = Nfe.from_xml(text) if doc.kind == "NFe" else NfeProc.from_xml(text).NFe
    inf = nfe.infNFe
    for check in (check_key, check_totals, check_parties):
        check(doc, inf)
    if word(inf.ide.finNFe) == "4":
        check_return(doc, inf)
    if doc.kind == "nfeProc":
        protocol = NfeProc.from_xml(text).protNFe.infProt
        doc.same("chNFe", protocol.chNFe, inf.Id.removeprefix("NFe"))
        doc.must(protocol.cStat in ("100", "120", "150"), f"cStat {protocol.cStat} is no authorisation")
        digest = doc.root.find(".//{http://www.w3.org/2000/09/xmldsig#}DigestValue").text
        # nfelib keeps the digest as bytes.
        found = protocol.digVal
        found = base64.b64encode(found).decode() if isinstance(found, bytes) else found
        doc.same("digVal", found, digest)


def check_event(doc):
    event = XmlParser().from_bytes(doc.raw, EVENTS[doc.kind]).evento.infEvento
    expected = f"ID{word(event.tpEvento)}{event.chNFe}{word(event.nSeqEvento).zfill(2)}"
    doc.same("the event's Id", event.Id, expected)
    doc.same("the check digit", event.chNFe[43], check_digit(event.chNFe[:43]))


def main(folder):
    files, refused = sorted(Path(folder).glob("*.xml")), 0
    for file in files:
        doc = Judged(file)
        check_form(doc)
        check_schema(doc)
        check_signature(doc)
        if not doc.wrong:
            (check_event if doc.kind in EVENTS else check_invoice)(doc)
        for text in doc.wrong:
            print(f"{file.name}: {text}")
        refused += bool(doc.wrong)
    print(f"nfelib, signxml: {len(files)} documents, {refused} refused")
    return 0 if files and not refused else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
