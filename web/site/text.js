// Text as HTML: escaping, GitHub's anchors, colours of code.
'use strict';

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => text.replace(/[&<>"]/g, (c) => entities[c]);

// Anchors as GitHub makes them, so that links written for one work on the other; each at most once a page.
class Slugs {
  constructor() {
    this.used = new Map();
  }
  of(title) {
    const slug = title.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replace(/ /g, '-');
    const times = this.used.get(slug) ?? 0;
    this.used.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}

// --- Colours --------------------------------------------------------------------------------------

const words = (text) => new RegExp(`\\b(?:${text.trim().split(/\s+/).join('|')})\\b`, 'y');
const string = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const hash = /(?<=^|\s)#.*/my;
const number = /(?<![\w.])\d[\d_']*(?:\.\d+)?(?:[eE][+-]?\d+)?\b/y;

const grammars = {
  sh: [['comment', hash], ['string', string]],
  python: [['comment', /#.*/y], ['string', /"""[^]*?"""/y], ['string', string], ['number', number],
    ['keyword', words(`and as assert async await class def del elif else except finally for from if import in is lambda not or pass raise
      return try while with yield None True False`)]],
  cpp: [['comment', /\/\/.*|\/\*[^]*?\*\//y], ['string', string], ['comment', /^#\s*\w+.*/my], ['number', number],
    ['keyword', words(`
      auto bool break case catch char class concept const consteval constexpr constinit continue default delete do
      double else enum explicit false final float for friend if inline int long mutable namespace new noexcept nullptr
      operator override private protected public requires return short signed sizeof static struct switch template
      this throw true try typename union unsigned using virtual void volatile while`)]],
  toml: [['comment', /#.*/y], ['string', string], ['keyword', /^\s*\[\[?[^\]\n]*\]\]?/my], ['number', number]],
  json: [['string', string], ['number', number], ['keyword', words('true false null')]],
  dockerfile: [['comment', /^\s*#.*/my], ['keyword', /^[A-Z]+(?= )/my], ['string', string]],
};
const others = { bash: 'sh', shell: 'sh', console: 'sh', py: 'python', 'c++': 'cpp', h: 'cpp', yaml: 'toml', yml: 'toml',
  cmake: 'sh', txt: 'text', env: 'sh', service: 'toml' };

// Code with its comments, strings, numbers and keywords marked; of a language that is not known here, as it is.
function coloured(code, language) {
  const grammar = grammars[others[language] ?? language];
  if (!grammar) return escape(code);
  let html = '';
  let plain = '';
  for (let i = 0; i < code.length; ) {
    let found = null;
    for (const [name, pattern] of grammar) {
      pattern.lastIndex = i;
      const match = pattern.exec(code);
      if (match && match[0] !== '') {
        found = { name, text: match[0] };
        break;
      }
    }
    if (!found) {
      // Words go as a whole: what begins within one is no keyword.
      const word = /\w+|[^]/y;
      word.lastIndex = i;
      plain += word.exec(code)[0];
      i = word.lastIndex;
      continue;
    }
    html += `${escape(plain)}<span class="${found.name}">${escape(found.text)}</span>`;
    plain = '';
    i += found.text.length;
  }
  return html + escape(plain);
}

// A block of code with its button; the script of the page makes it work, and shows it only then.
function codeBlock(code, language, kind = 'code') {
  const mark = language ? ` class="language-${escape(language)}"` : '';
  return `<div class="${kind}"><pre><code${mark}>${coloured(code, language)}</code></pre></div>\n`;
}

module.exports = { Slugs, codeBlock, coloured, escape };
