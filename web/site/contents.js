// What the site consists of, in the order a reader would want it. A page of docs/ that is not here, or one here that is
// not there, stops the generator: nothing is published by accident, and nothing is forgotten.
'use strict';

// File of the repository, and its name in the sidebar where its own title is too long for that.
const groups = [
  { title: 'Start', pages: [
    ['docs/concepts.md'],
    ['docs/which-policy.md'],
    ['docs/playground.md'],
    ['docs/python.md'],
    ['docs/glossary.md'],
  ] },
  { title: 'Policies', pages: [
    ['docs/policies.md'],
    ['docs/comparison.md', 'Sixteen worlds compared'],
    ['docs/advice.md'],
    ['docs/balancing.md'],
    ['docs/sentry.md'],
    ['docs/warden.md'],
  ] },
  { title: 'Lab', pages: [
    ['docs/studies.md'],
    ['docs/families.md'],
    ['docs/leap.md', 'Leap: 10¹² rounds'],
  ] },
  { title: 'Theory and evidence', pages: [
    ['docs/specification.md'],
    ['docs/theory.md'],
    ['docs/paper-results.md', 'The paper’s results'],
    ['docs/record.md'],
    ['docs/review.md', 'A referee’s report'],
  ] },
  { title: 'Causal front end', pages: [
    ['docs/graphs.md', 'Causal graphs'],
    ['docs/audit.md'],
    ['docs/replay.md'],
  ] },
  { title: 'Service', pages: [
    ['docs/service.md'],
    ['docs/security.md', 'Security'],
    ['docs/embedding.md'],
  ] },
  { title: 'Clusters and GPUs', pages: [
    ['docs/cluster.md'],
    ['docs/gpu.md'],
  ] },
  { title: 'Reference', pages: [
    ['docs/formats.md'],
    ['docs/exactness.md', 'The same bytes'],
    ['docs/performance.md'],
    ['CHANGELOG.md'],
    ['HACKING.md', 'Hacking'],
  ] },
];

// Folders whose files are worth reading beside the docs: links to them become pages, links elsewhere plain text.
const readable = ['examples', 'studies', 'deploy'];

// Where a page of the repository stands on the site.
function addressOf(source) {
  if (source === 'README.md') return 'index.html';
  if (source === 'CHANGELOG.md') return 'docs/changelog.html';
  if (source === 'HACKING.md') return 'docs/hacking.html';
  return source.replace(/\.md$/, '.html');
}

module.exports = { addressOf, groups, readable };
