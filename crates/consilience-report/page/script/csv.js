// Export as CSV after RFC 4180: fields with commas, quotes or line ends are quoted, quotes doubled, lines end in CR LF.
// Spreadsheets run text that starts like a formula. By choice such a name gets an apostrophe in front, which they take as
// "this is text"; the box beside the button turns that off for programs that match names exactly. Numbers are not touched.

const FORMULA = /^[=+\-@\t\r]/;

function csvField(value, guard) {
  const text = typeof value === "string" && guard && FORMULA.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(heads, rows, guard) {
  return [heads, ...rows].map((row) => row.map((value) => csvField(value, guard)).join(",")).join("\r\n") + "\r\n";
}

function download(name, text) {
  saveFile(name, "csv", new Blob([text], { type: "text/csv;charset=utf-8" }));
}

function saveFile(name, kind, blob) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: `${name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "report"}.${kind}` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
