// Reads the project's public headers: what is declared in them, in order, with its comment and signature. It knows the
// house style (/// before what it is about, // behind it, `// --- Section ---`), not C++: a declaration ends at its
// semicolon or body, and its name stands before its parameters. tests/web/site_test.js holds it to clang's view.
'use strict';

// --- Text -----------------------------------------------------------------------------------------

const closers = { '(': ')', '{': '}', '[': ']' };

// The place behind whatever begins at `at`, if it is a comment, a string or a character; else `at`.
function pastQuiet(text, at) {
  const rest = text.slice(at, at + 2);
  if (rest === '//') return endOfLine(text, at);
  if (rest === '/*') return text.indexOf('*/', at) + 2;
  const quote = text[at];
  if (quote === '"' || (quote === "'" && !/\w/.test(text[at - 1] ?? ''))) { // 1'000 has none
    let i = at + 1;
    while (text[i] !== quote) i += text[i] === '\\' ? 2 : 1;
    return i + 1;
  }
  return at;
}
const endOfLine = (text, at) => (text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at));

// The place behind the bracket that closes the one at `at`.
function pastBrackets(text, at) {
  const close = closers[text[at]];
  for (let i = at + 1; i < text.length; ) {
    const next = pastQuiet(text, i);
    if (next !== i) i = next;
    else if (text[i] === close) return i + 1;
    else if (closers[text[i]]) i = pastBrackets(text, i);
    else ++i;
  }
  throw new Error(`a ${text[at]} without its ${close}: ${text.slice(at, at + 60)}`);
}

// The same for <…>, where they are brackets: after `template`, and in types.
function pastAngles(text, at) {
  let depth = 0;
  for (let i = at; i < text.length; ) {
    if (text[i] === '<') ++depth;
    if (text[i] === '>' && text[i - 1] !== '-' && --depth === 0) return i + 1;
    i = text[i] === '(' || text[i] === '{' ? pastBrackets(text, i) : i + 1;
  }
  throw new Error(`a < without its >: ${text.slice(at, at + 60)}`);
}

const flat = (text) => text.replace(/\/\/.*$/gm, '').replace(/\s+/g, ' ').replace(/\( /g, '(').trim();

// --- Declarations ---------------------------------------------------------------------------------

// Where a declaration that begins at `start` ends, and what its head is: all before a body or what it is set to.
function boundsOf(text, start) {
  let parameters = false; // were they passed?
  let initialisers = false; // of a constructor
  let assigned = false;
  let i = start;
  const template = /template\s*(?=<)/y;
  template.lastIndex = start;
  if (template.test(text)) i = pastAngles(text, template.lastIndex);
  let head;
  for (; i < text.length; ) {
    const quiet = pastQuiet(text, i);
    if (quiet !== i) {
      i = quiet;
      continue;
    }
    const operator = /\boperator\s*(\(\)|[^\s\w(]+)/y;
    operator.lastIndex = i;
    const symbol = operator.test(text);
    if (symbol) {
      i = operator.lastIndex;
    } else if (text[i] === ';') {
      return { end: i + 1, head: head ?? text.slice(start, i), whole: text.slice(start, i) };
    } else if (text[i] === '=' && !assigned) {
      assigned = true;
      ++i;
    } else if (text[i] === '(') {
      parameters = true;
      i = pastBrackets(text, i);
    } else if (text[i] === ':' && parameters && !assigned && text[i + 1] !== ':' && text[i - 1] !== ':') {
      head ??= text.slice(start, i);
      initialisers = true;
      ++i;
    } else if (text[i] === '{') {
      const before = text.slice(start, i);
      const type = /^(?:template\s*<.*>\s*)?(namespace|class|struct|enum)\b/s.test(before) && !parameters;
      if (type) return { end: i, head: before, opens: true };
      const inside = assigned || !parameters || (initialisers && /\w$/.test(before));
      if (!inside) return { end: pastBrackets(text, i), head: head ?? before, body: true };
      i = pastBrackets(text, i);
    } else {
      ++i;
    }
  }
  throw new Error(`a declaration without an end: ${text.slice(start, start + 80)}`);
}

// Without its template part: what is left names what it is.
function withoutTemplate(head) {
  return /^template\s*</.test(head) ? head.slice(pastAngles(head, head.indexOf('<'))).trim() : head;
}

// The name before the parameters, or null if it has none of its own.
function functionName(head) {
  for (let i = 0; i < head.length; ) {
    if (/^operator\b/.test(head.slice(i)) && !/\w/.test(head[i - 1] ?? ''))
      return /^operator\s*(\(\)|[^\s\w(]+|\s[\w:]+)/.exec(head.slice(i))[0].replace(/\s+/g, ' ');
    if (head[i] === '=' || head.startsWith('(*', i)) return null; // a variable, perhaps one that points to a function
    if (head[i] === '<') i = pastAngles(head, i);
    else if (head[i] === '(') return /(~?\w+)\s*$/.exec(head.slice(0, i))?.[1] ?? null;
    else ++i;
  }
  return null;
}

// `double low = 0, high = 1` has two names; `void (*make)(int) = nullptr` has one.
function variableNames(head) {
  const pointer = /\(\*\s*(\w+)\)/.exec(head);
  if (pointer) return [pointer[1]];
  let plain = '';
  for (let i = 0; i < head.length; ) {
    if (head[i] === '<' && /\w$/.test(plain)) i = pastAngles(head, i);
    else if (closers[head[i]]) i = pastBrackets(head, i);
    else plain += head[i++];
  }
  return plain.split(',').map((part) => /(\w+)\s*(=.*)?$/s.exec(part.trim())[1]);
}

const dashes = /^\/\/ ?-{3,} ?|\s*-{3,}$/g;
const lineText = (line) => line.trim().replace(/^\/{2,3} ?/, '');

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  // What stands between here and the next declaration: blank lines and comments. The comment of what comes next is
  // `doc`; sections go to `items`.
  between(items) {
    let doc = null;
    let blank = false;
    for (;;) {
      const space = /\s*/y;
      space.lastIndex = this.at;
      const passed = space.exec(this.text)[0];
      if ((passed.match(/\n/g) ?? []).length > 1) blank = true;
      this.at += passed.length;
      if (this.text.startsWith('//', this.at)) {
        const lines = [];
        const told = this.text.startsWith('///', this.at);
        while (this.text.startsWith('//', this.at) && this.text.startsWith('///', this.at) === told) {
          const end = endOfLine(this.text, this.at);
          lines.push(this.text.slice(this.at, end));
          const next = /\n[ \t]*(?=\/\/)/y;
          next.lastIndex = end;
          this.at = next.test(this.text) ? next.lastIndex : end;
        }
        if (told) doc = lines.map(lineText).join('\n');
        else if (/^\/\/ ?-{3,} /.test(lines[0])) items.push(sectionOf(lines));
      } else if (this.text[this.at] === '#') {
        const macro = /#define (\w+(?:\([^)]*\))?)/y;
        macro.lastIndex = this.at;
        const found = macro.exec(this.text);
        if (found)
          items.push({ kind: 'macro', names: [found[1].replace(/\(.*/, '')], signature: found[1], doc, blank: true });
        let end = endOfLine(this.text, this.at);
        while (this.text[end - 1] === '\\') end = endOfLine(this.text, end + 1);
        this.at = end;
        doc = null;
      } else {
        return { doc, blank };
      }
    }
  }

  // The remark behind a declaration; what stands below it in the same column goes on with it.
  remark() {
    const behind = /[ \t]*\/\/(?!\/)/y;
    behind.lastIndex = this.at;
    if (!behind.test(this.text)) return '';
    const column = (place) => place - this.text.lastIndexOf('\n', place);
    const where = column(behind.lastIndex - 2);
    const parts = [];
    for (let from = behind.lastIndex; ; ) {
      const end = endOfLine(this.text, from);
      parts.push(this.text.slice(from, end).trim());
      this.at = end;
      const next = /\n[ \t]*\/\/(?!\/)/y;
      next.lastIndex = end;
      if (!next.test(this.text) || column(next.lastIndex - 2) !== where) return parts.join(' ');
      from = next.lastIndex;
    }
  }

  // Everything up to the } of this scope.
  scope(access, owner) {
    const items = [];
    for (;;) {
      const { doc, blank } = this.between(items);
      if (this.at >= this.text.length) return items;
      if (this.text[this.at] === '}') {
        ++this.at;
        return items;
      }
      const label = /(public|protected|private):/y;
      label.lastIndex = this.at;
      const named = label.exec(this.text);
      if (named) {
        access = named[1];
        this.at = label.lastIndex;
        continue;
      }
      const start = this.at;
      const bounds = boundsOf(this.text, start);
      this.at = bounds.end;
      const item = bounds.opens ? this.opened(bounds) : declared(bounds, owner);
      let variable = ''; // of a type that is used where it is defined
      if (bounds.opens && item.kind !== 'namespace') {
        const end = this.text.indexOf(';', this.at);
        variable = flat(this.text.slice(this.at, end));
        this.at = end + 1;
      }
      const remark = this.remark();
      if (!item) continue;
      if (item.kind === 'namespace') items.push(...item.items);
      else items.push({ ...item, access, doc, blank, remark });
      if (variable) items.push({ kind: 'variable', names: variableNames(variable), signature: `${item.names[0]} ${variable}`, access, blank: false });
    }
  }

  // A namespace, a type with its members, or an enumeration.
  opened({ head }) {
    ++this.at;
    const plain = withoutTemplate(flat(head));
    const space = /^namespace\s*([\w:]*)/.exec(plain);
    if (space) {
      const items = this.scope('public', '');
      const inner = space[1].replace(/^armature(::)?/, '');
      for (const item of items) if (inner && item.kind !== 'section') item.space = item.space ? `${inner}::${item.space}` : inner;
      return { kind: 'namespace', items };
    }
    const [, kind, name] = /^(enum class|enum|class|struct)\s+(\w+)/.exec(plain);
    const shared = { kind: kind.split(' ')[0], names: [name], signature: flat(head) };
    if (shared.kind === 'enum') return { ...shared, members: this.enumerators() };
    return { ...shared, members: this.scope(kind === 'class' ? 'private' : 'public', name) };
  }

  enumerators() {
    const members = [];
    for (;;) {
      const { doc, blank } = this.between(members);
      if (this.text[this.at] === '}') {
        ++this.at;
        return members;
      }
      const one = /(\w+)(?:\s*=\s*([^,}\n]*[^,}\s]))?\s*,?/y;
      one.lastIndex = this.at;
      const [, name, value] = one.exec(this.text);
      this.at = one.lastIndex;
      const signature = value === undefined ? name : `${name} = ${value}`;
      members.push({ kind: 'enumerator', names: [name], signature, access: 'public', doc, blank, remark: this.remark() });
    }
  }
}

// The title of `// --- Title ---`, which may go on for another line, and what is said below it.
function sectionOf(lines) {
  const titles = lines.filter((line) => /-{3,}/.test(line)).map((line) => line.replace(dashes, '').trim());
  const notes = lines.filter((line) => !/-{3,}/.test(line)).map(lineText);
  const title = titles.join(' ');
  return { kind: 'section', title: title[0].toUpperCase() + title.slice(1), doc: notes.join('\n') };
}

// A declaration without members; null if it tells nothing: a friend, something declared to be defined elsewhere, or a
// copy, a move or an end as the language makes them.
function declared({ head, whole, body }, owner) {
  const text = flat(head);
  const plain = withoutTemplate(text);
  if (/^(friend|static_assert)\b/.test(plain) || /^(class|struct|enum|enum class)\s+\w+(\s*:\s*[\w:]+)?$/.test(plain)) return null;
  const alias = /^using\s+(\w+)\s*=/.exec(plain);
  if (alias) return { kind: 'alias', names: [alias[1]], signature: text };
  const concept = /^concept\s+(\w+)/.exec(plain);
  if (concept) return { kind: 'concept', names: [concept[1]], signature: whole.trim() };
  const name = functionName(plain);
  if (name === null) return { kind: 'variable', names: variableNames(plain), signature: shortened(text) };
  if (owner && (name === `~${owner}` || /= (default|delete)$/.test(text)) && /^(virtual |explicit |constexpr )*(~?\w+|\w+& operator=)\(/.test(plain))
    return null;
  return { kind: 'function', names: [name], signature: body ? text : flat(whole) };
}

// A variable's value is part of what it is, unless it is long.
const shortened = (text) => (text.length > 140 ? text.replace(/\s*=\s.*$/, '') : text);

// --- The header -----------------------------------------------------------------------------------

// What may be seen of it from outside, and by whoever derives from it.
const seen = (items) => items.filter((item) => item.access !== 'private').map((item) =>
  (item.members ? { ...item, members: seen(item.members) } : item));

/// The comment that a header begins with, and what it declares.
function readHeader(text) {
  const opening = /^(\/\/.*\n)*/.exec(text)[0];
  const reader = new Reader(text.slice(opening.length));
  const comment = opening.trim().split('\n').map(lineText).join('\n');
  return { comment, items: seen(reader.scope('public', '')) };
}

module.exports = { readHeader };
