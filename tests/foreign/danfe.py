"""Draws the shop's invoices by BrazilFiscalReport, which reads them as it reads anybody's: what
stands on that paper must be what stands in the document.

usage: danfe.py FOLDER
"""

import io
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import brazilfiscalreport
from brazilfiscalreport.danfe import Danfe
from lxml import etree

NFE = "{http://www.portalfiscal.inf.br/nfe}"


def text_of(pdf):
    command = ["pdftotext", "-layout", "-", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()


def wrong_with(file):
    raw = file.read_bytes()
    root = etree.fromstring(raw, etree.XMLParser(resolve_entities=False, no_network=True))
    drawn = io.BytesIO()
    Danfe(xml=raw.decode()).output(drawn)
    text = text_of(drawn.getvalue())
    digits = re.sub(r"\D", "", text)
    total = Decimal(root.findtext(f".//{NFE}ICMSTot/{NFE}vNF"))
    total = f"{total:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")
    protocol = root.findtext(f".//{NFE}nProt")
    key = root.find(f".//{NFE}infNFe").get("Id").removeprefix("NFe")
    expected = {
        # The key of a company with letters in its CNPJ has letters, too.
        "the key": key in re.sub(r"\s", "", text),
        "the protocol": protocol is None or protocol in digits,
        f"the total {total}": total in text,
    }
    return [f"{file.name}: {what} is not on the paper" for what, is_there in expected.items() if not is_there]


def main():
    if not shutil.which("pdftotext"):
        print("left out: there is no pdftotext here")
        return
    files = [it for it in sorted(Path(sys.argv[1]).glob("*.xml")) if b"<infNFe" in it.read_bytes()]
    if not files:
        sys.exit("there are no invoices")
    wrong = [line for file in files for line in wrong_with(file)]
    print(f"{len(files)} invoices drawn by BrazilFiscalReport {brazilfiscalreport.__version__}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
