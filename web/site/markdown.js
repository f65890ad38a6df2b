// Markdown as the site shows it: GitHub's anchors, links that lead to pages of the site, tables that scroll in a box of
// their own, figures with their size; and what of it can be searched for.
'use strict';

const { Marked } = require('marked');
const { Slugs, codeBlock, escape } = require('./text.js');

// The words of inline tokens, without their dress.
const wordsOf = (tokens) => tokens.map((token) =>
  (token.tokens ? wordsOf(token.tokens) : token.type === 'br' ? ' ' : token.type === 'html' ? '' : token.text)).join('');
const unescaped = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, '&');

// What of a block is worth finding: cells of tables that are numbers are not, nor what a command answers, and words that
// come back in every row are once enough.
function searchable(token) {
  switch (token.type) {
    case 'table':
      return [...new Set([token.header, ...token.rows].flat().map((cell) => wordsOf(cell.tokens)).filter((text) => /\p{L}{2}/u.test(text)))].join(' ');
    case 'list':
      return token.items.map((item) => item.tokens.map(searchable).join(' ')).join(' ');
    case 'blockquote':
      return token.tokens.map(searchable).join(' ');
    case 'code':
      return token.lang ? token.text : '';
    case 'html':
      return token.text.replace(/<[^>]*>/g, ' ');
    case 'space':
    case 'hr':
      return '';
    default:
      return token.tokens ? wordsOf(token.tokens) : token.text ?? '';
  }
}

/// options: resolve(href) → {href, title} or null where nothing can be linked; figure(href) → {src, width, height}.
/// Gives {title, html, headings: [{level, title, id}], sections: [{title, id, text}]}; the text before the first heading
/// of the second level is the section of the title itself.
function renderMarkdown(text, { resolve, figure }) {
  const slugs = new Slugs();
  const headings = [];
  const renderer = {
    heading({ tokens, depth }) {
      const title = unescaped(wordsOf(tokens));
      const id = slugs.of(title);
      headings.push({ level: depth, title, id });
      if (depth === 1) return `<h1 id="${id}">${this.parser.parseInline(tokens)}</h1>\n`;
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
    },
    // In a table a name is one piece, unless it is no name; a path has its joints.
    codespan({ text: code }) {
      const long = code.length > 32 || code.includes('/');
      return `<code${long ? ' class="long"' : ''}>${escape(code).replace(/\//g, '/<wbr>')}</code>`;
    },
    code: ({ text: code, lang }) => codeBlock(code, (lang ?? '').split(/\s/)[0]),
    table(token) {
      // Numbers stand right, said once for each column; a short text is one piece.
      const right = token.align.flatMap((align, i) => (align === 'right' ? [`right-${i + 1}`] : []));
      const cell = (tag, { tokens, align }) => {
        const words = wordsOf(tokens);
        const short = tag === 'td' && align !== 'right' && words.length <= 14 && /[\s–-]/.test(words) ? ' class="short"' : '';
        return `<${tag}${short}>${this.parser.parseInline(tokens)}</${tag}>`;
      };
      const head = token.header.map((one) => cell('th', one)).join('');
      const rows = token.rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('\n');
      const mark = right.length > 0 ? ` class="${right.join(' ')}"` : '';
      return `<div class="table"><table${mark}><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table></div>\n`;
    },
    link({ href, tokens, text: words }) {
      const label = this.parser.parseInline(tokens);
      if (/^[a-z]+:/i.test(href)) return `<a href="${escape(href)}" rel="noopener">${label}</a>`;
      const target = resolve(href);
      if (!target) return label;
      // A path is a good name in a terminal, and none on a page.
      const path = /^(?:docs\/)?[\w-]+\.md$/.test(words) && target.title;
      return `<a href="${escape(target.href)}">${path ? escape(target.title) : label}</a>`;
    },
    image({ href, text: alternative }) {
      const { src, width, height } = figure(href);
      const size = `width="${width}" height="${height}" style="--width: ${width}px"`;
      return `<a class="figure" href="${escape(src)}"><img src="${escape(src)}" alt="${escape(unescaped(alternative))}" ${size} loading="lazy"></a>`;
    },
  };
  // Formulas are as they are: an underscore is an index there, never emphasis, for which the docs have stars.
  const tokenizer = {
    emStrong(source) {
      return source.startsWith('_') ? undefined : false;
    },
  };
  const marked = new Marked({ gfm: true, renderer, tokenizer });
  const tokens = marked.lexer(text);
  const html = marked.parser(tokens);

  const sections = [];
  let next = 0;
  for (const token of tokens) {
    if (token.type === 'heading') sections.push({ ...headings[next++], parts: [] });
    else sections.at(-1)?.parts.push(searchable(token));
  }
  // Headings within blocks (lists, details) have anchors but no sections of their own.
  return {
    title: headings[0]?.level === 1 ? headings[0].title : '',
    html,
    headings,
    sections: sections.map(({ title, id, level, parts }) => ({ title, id, level, text: unescaped(parts.join(' ').replace(/\s+/g, ' ').trim()) })),
  };
}

module.exports = { renderMarkdown };
