"""Faults of an HTML page of render, one a line: what a reader, a screen reader or a browser without network would stumble over."""
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "path", "polygon", "rect", "circle", "br"}
COLOURS = [("--text", "--page"), ("--text", "--card"), ("--dim", "--page"), ("--dim", "--card"), ("--link", "--page"),
           ("--good", "--page"), ("--caution", "--page"), ("--bad", "--page"), ("--plot-text", "--page"),
           ("--plot-text", "--window"), ("--plot-text", "--warmup"), ("--plot-text", "--shift"),
           ("--plot-text", "--uncertified")]


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.stack, self.ids, self.faults = [], set(), []
        self.count = {}
        self.level = 0
        self.caption = True
        self.targets = []

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in VOID:
            self.stack.append(tag)
        if "id" in a:
            if a["id"] in self.ids:
                self.fault("id '%s' twice" % a["id"])
            self.ids.add(a["id"])
        if tag == "svg" and (a.get("role") != "img" or not a.get("aria-label")):
            self.fault("a plot without a description")
        if tag == "table":
            self.caption = False
        if tag == "caption":
            self.caption = True
        if tag == "tbody" and not self.caption:
            self.fault("a table without a caption")
        if tag == "th" and "scope" not in a:
            self.fault("a heading cell without a scope")
        if re.fullmatch("h[1-6]", tag):
            level = int(tag[1])
            if level > self.level + 1:
                self.fault("%s after h%d" % (tag, self.level))
            self.level = level
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            value = a.get(name, "")
            if value.startswith("#"):
                self.targets.append(value[1:])
            elif value and value != "data:,":
                self.fault("%s names another file" % name)
        if tag in ("img", "iframe", "object", "embed", "image", "use"):
            self.fault("<%s>" % tag)
        for name in a:
            if name.startswith("on"):
                self.fault("an attribute %s" % name)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.fault("</%s> closes nothing" % tag)

    def fault(self, what):
        self.faults.append("line %d: %s" % (self.getpos()[0], what))


def luminance(colour):
    if len(colour) == 4:
        colour = "#" + "".join(2 * c for c in colour[1:])
    part = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    part = [c / 12.92 if c <= .03928 else ((c + .055) / 1.055) ** 2.4 for c in part]
    return .2126 * part[0] + .7152 * part[1] + .0722 * part[2]


def contrast(text):
    """Every theme's text must stand out from what it stands on, by WCAG's 4.5."""
    for theme in re.findall(r":root\{([^}]*)\}", text):
        colour = dict(re.findall(r"(--[a-z0-9-]+):(#[0-9a-f]{3,6})", theme))
        for ink, ground in COLOURS:
            a, b = sorted((luminance(colour[ink]), luminance(colour[ground])))
            if (b + .05) / (a + .05) < 4.5:
                yield "%s %s on %s %s: contrast %.1f" % (ink, colour[ink], ground, colour[ground], (b + .05) / (a + .05))


text = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(text)
faults = page.faults + list(contrast(text))
faults += ["no target #%s" % t for t in page.targets if t not in page.ids]
faults += ["not closed: %s" % t for t in page.stack]
faults += ["it speaks of %s" % w for w in ("GNUPLOT", "gnuplot_canvas") if w in text]
faults += ["no or several <%s>" % t for t in ("title", "h1", "main", "html", "style") if page.count.get(t) != 1]
if re.search(r"(https?:)?//[a-z]", re.sub("http://www.w3.org/2000/svg", "", text.split("<script>")[-1])):
    faults.append("an address of the network in the script")
if re.search(r"@import|url\(", text):
    faults.append("the style asks for another file")
print("\n".join(faults) or "%d plots, %d tables" % (page.count.get("svg", 0), page.count.get("table", 0)))
sys.exit(bool(faults))
