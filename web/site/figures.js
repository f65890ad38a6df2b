// The figures of the docs as the site has them: the same drawings, smaller, and in the dark with dark paper.
'use strict';

// The colours of paper, text, axes and grids that reports turn in the dark (web/theme.js); policies keep theirs.
const dark = [['white', '#161618'], ['#1c1c1c', '#ececec'], ['#333333', '#cccccc'], ['#555555', '#b4b4b4'], ['#767676', '#9a9a9a'],
  ['#bdbdbd', '#5a5a5a'], ['#ddd', '#4a4a4a'], ['#000000', '#ffffff'], ['black', '#ffffff']];
const darkStyle = dark.map(([light, turned]) => `[fill="${light}"]{fill:${turned}}[stroke="${light}"]{stroke:${turned}}`).join('');

const corners = 14; // at most, of a mark; what has more is a line

// A path of straight lines by its steps instead of its places, which are shorter; in tenths, so that nothing adds up.
function steps(path) {
  const points = path.slice(1).replace(/Z$/, '').split('L').map((point) => point.split(',').map((number) => Math.round(Number(number) * 10)));
  if (!/^M[\d.,L-]+Z?$/.test(path) || points.some((point) => point.length !== 2)) return path;
  const text = (tenths) => String(tenths / 10).replace(/^(-?)0\./, '$1.');
  const joined = (x, y) => text(x) + (y < 0 ? '' : ',') + text(y);
  const moves = points.slice(1).map(([x, y], i) => joined(x - points[i][0], y - points[i][1]));
  return `M${joined(...points[0])}${moves.length > 0 ? 'l' : ''}${moves.join(' ').replace(/ -/g, '-')}${path.endsWith('Z') ? 'Z' : ''}`;
}

// The shape of a mark is drawn once, and used wherever there is such a mark.
function shared(text) {
  const path = /<path\b([^>]*) d="([^"]{20,})"([^>]*)\/>/g;
  const times = new Map();
  for (const [, , shape] of text.matchAll(path)) times.set(shape, (times.get(shape) ?? 0) + 1);
  const shapes = [...times.keys()].filter((shape) => times.get(shape) > 2);
  const defined = shapes.map((shape, i) => `<path id="m${i}" d="${shape}"/>`).join('');
  const used = text.replace(path, (whole, before, shape, after) => {
    const place = shapes.indexOf(shape);
    return place < 0 ? whole : `<use href="#m${place}"${before}${after}/>`;
  });
  return used.replace(/(<svg [^>]*>)/, `$1<defs>${defined}</defs>`);
}

// Places to a hundredth of a pixel; the shapes of marks have three digits, and keep them.
const rounded = (text) => text.replace(/-?\d*\.\d{4,}(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100));

// Lines to a tenth of a pixel are as good as all of it; letters stay where they are. Marks that nobody sees are what a
// pointer would find on a report's page, and what screen readers would be told of every mark is told by the image's text.
function smallerSvg(text) {
  const smaller = text
    .replace(/ (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"| opacity="1"/g, '')
    .replace(/<(?!text)\w+(?: [^>]*?)? transform="[^"]*"/g, rounded)
    .replace(/ d="([^"]*)"/g, (_, path) => ` d="${path.split('L').length > corners ? steps(path) : rounded(path)}"`)
    .replace(/<path [^>]* opacity="0"\/>/g, '')
    .replace(/<path d=""[^>]*\/>|<path d="M0,0h0v0h0Z"[^>]*\/>/g, '');
  return shared(smaller).replace(/(<svg [^>]*>)/, `$1<style>@media (prefers-color-scheme:dark){${darkStyle}}</style>`);
}

function svgSize(text) {
  const [, width, height] = /<svg [^>]*\bwidth="([\d.]+)" height="([\d.]+)"/.exec(text);
  return { width: Math.round(width), height: Math.round(height) };
}

const pngSize = (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });

module.exports = { pngSize, smallerSvg, svgSize };
