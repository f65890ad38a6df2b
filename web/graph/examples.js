// The diagrams to start from, each with the roles it is shown with. Those with a `file` are the repository's
// examples/graphs, to the letter (tests/web/graph_page_test.js compares them).
'use strict';

const graphExamples = [
  {
    id: 'mediator', title: 'A chain',
    words: 'A mail makes people open it, and who opens it buys: what is observed stands in the only way.',
    context: ['opened'],
    text: `dag {
mail [exposure]
opened
bought [outcome]
mail -> opened -> bought
}
`,
  },
  {
    id: 'front-door', title: 'The front door', file: 'front-door.dag',
    words: 'Smoking works through tar, and a habit that nobody sees moves both smoking and cancer. Tar carries it all, until doing nothing is an action too.',
    context: ['tar'],
    text: `dag {
bb="0,0,1,1"
habit [latent,pos="0.500,0.100"]
smoking [exposure,pos="0.100,0.700"]
tar [pos="0.500,0.700"]
cancer [outcome,pos="0.900,0.700"]
habit -> cancer
habit -> smoking
smoking -> tar
tar -> cancer
}
`,
  },
  {
    id: 'hidden-taste', title: 'A hidden taste',
    words: 'Coupons work through the click alone. But who clicks without a coupon likes the shop, and buys for that reason: the click looks like the whole story and is not.',
    context: ['click'],
    text: `dag {
coupon [exposure]
click
taste [latent]
sale [outcome]
coupon -> click -> sale
click <- taste -> sale
}
`,
  },
  {
    id: 'm-bias', title: 'M-bias', file: 'm-bias.dag',
    words: 'Diet hangs between two hidden causes, and the drug works on health directly: nothing that can be observed stands in between.',
    context: ['diet'],
    text: `dag {
bb="0,0,1,1"
drug [exposure,pos="0.100,0.800"]
health [outcome,pos="0.900,0.800"]
diet [pos="0.500,0.500"]
income [latent,pos="0.200,0.100"]
genes [latent,pos="0.800,0.100"]
drug -> health
income -> diet
income -> drug
genes -> diet
genes -> health
}
`,
  },
  {
    id: 'asia', title: 'The chest clinic', file: 'asia.bif',
    words: 'Smoking works on shortness of breath through the lungs and through the bronchi. The bronchi alone do not tell all of it.',
    action: ['smoke'], context: ['bronc'], reward: 'dysp', worth: 'yes',
    text: `// Asia (Lauritzen and Spiegelhalter 1988), its well-known structure and tables.
network asia {
}
variable asia {
  type discrete [ 2 ] { no, yes };
}
variable tub {
  type discrete [ 2 ] { no, yes };
}
variable smoke {
  type discrete [ 2 ] { no, yes };
}
variable lung {
  type discrete [ 2 ] { no, yes };
}
variable bronc {
  type discrete [ 2 ] { no, yes };
}
variable either {
  type discrete [ 2 ] { no, yes };
}
variable xray {
  type discrete [ 2 ] { no, yes };
}
variable dysp {
  type discrete [ 2 ] { no, yes };
}
probability ( asia ) {
  table 0.99, 0.01;
}
probability ( tub | asia ) {
  (no) 0.99, 0.01;
  (yes) 0.95, 0.05;
}
probability ( smoke ) {
  table 0.5, 0.5;
}
probability ( lung | smoke ) {
  (no) 0.99, 0.01;
  (yes) 0.9, 0.1;
}
probability ( bronc | smoke ) {
  (no) 0.7, 0.3;
  (yes) 0.4, 0.6;
}
probability ( either | lung, tub ) {
  (no, no) 1, 0;
  (no, yes) 0, 1;
  (yes, no) 0, 1;
  (yes, yes) 0, 1;
}
probability ( xray | either ) {
  (no) 0.95, 0.05;
  (yes) 0.02, 0.98;
}
probability ( dysp | bronc, either ) {
  (no, no) 0.9, 0.1;
  (no, yes) 0.3, 0.7;
  (yes, no) 0.2, 0.8;
  (yes, yes) 0.1, 0.9;
}
`,
  },
  {
    id: 'email', title: 'An e-mail campaign', file: 'lu-email.bif',
    words: 'Product, purpose and hour of a mail work through its subject, its template and when it is read: 27 contexts instead of 60 actions.',
    action: ['product', 'purpose', 'sent'], context: ['subject', 'template', 'read'], reward: 'clicked', worth: 'yes',
    text: `// An e-mail campaign in the manner of Lu et al. 2020: what is sent (product, purpose, time) works through
// subject, template and the hour of reading. The structure follows theirs; the tables are ours, fixed here.
network lu_email {
}
variable product {
  type discrete [ 4 ] { mug, shirt, poster, bag };
}
variable purpose {
  type discrete [ 5 ] { news, sale, survey, thanks, reminder };
}
variable sent {
  type discrete [ 3 ] { morning, noon, evening };
}
variable subject {
  type discrete [ 3 ] { short, medium, long };
}
variable template {
  type discrete [ 3 ] { plain, picture, story };
}
variable read {
  type discrete [ 3 ] { early, day, late };
}
variable clicked {
  type discrete [ 2 ] { no, yes };
}
probability ( product ) {
  table 0.25, 0.25, 0.25, 0.25;
}
probability ( purpose ) {
  table 0.3, 0.3, 0.1, 0.1, 0.2;
}
probability ( sent ) {
  table 0.5, 0.3, 0.2;
}
probability ( subject | purpose ) {
  (news) 0.2, 0.5, 0.3;
  (sale) 0.7, 0.2, 0.1;
  (survey) 0.1, 0.3, 0.6;
  (thanks) 0.5, 0.4, 0.1;
  (reminder) 0.3, 0.6, 0.1;
}
probability ( template | product, purpose ) {
  (mug, news) 0.3704, 0.4444, 0.1852;
  (mug, sale) 0.2273, 0.5682, 0.2045;
  (mug, survey) 0.303, 0.303, 0.394;
  (mug, thanks) 0.3333, 0.5, 0.1667;
  (mug, reminder) 0.3125, 0.4063, 0.2812;
  (shirt, news) 0.3824, 0.3529, 0.2647;
  (shirt, sale) 0.2549, 0.4902, 0.2549;
  (shirt, survey) 0.4643, 0.3571, 0.1786;
  (shirt, thanks) 0.3514, 0.4054, 0.2432;
  (shirt, reminder) 0.3333, 0.3333, 0.3334;
  (poster, news) 0.3902, 0.2927, 0.3171;
  (poster, sale) 0.3478, 0.5435, 0.1087;
  (poster, survey) 0.4571, 0.2857, 0.2572;
  (poster, thanks) 0.3636, 0.3409, 0.2955;
  (poster, reminder) 0.4706, 0.3824, 0.147;
  (bag, news) 0.5278, 0.3333, 0.1389;
  (bag, sale) 0.3585, 0.4717, 0.1698;
  (bag, survey) 0.4524, 0.2381, 0.3095;
  (bag, thanks) 0.4872, 0.3846, 0.1282;
  (bag, reminder) 0.4634, 0.3171, 0.2195;
}
probability ( read | sent ) {
  (morning) 0.6, 0.3, 0.1;
  (noon) 0.1, 0.7, 0.2;
  (evening) 0.05, 0.25, 0.7;
}
probability ( clicked | subject, template, read ) {
  (short, plain, early) 0.79, 0.21;
  (short, plain, day) 0.82, 0.18;
  (short, plain, late) 0.75, 0.25;
  (short, picture, early) 0.69, 0.31;
  (short, picture, day) 0.72, 0.28;
  (short, picture, late) 0.65, 0.35;
  (short, story, early) 0.74, 0.26;
  (short, story, day) 0.77, 0.23;
  (short, story, late) 0.7, 0.3;
  (medium, plain, early) 0.85, 0.15;
  (medium, plain, day) 0.88, 0.12;
  (medium, plain, late) 0.81, 0.19;
  (medium, picture, early) 0.75, 0.25;
  (medium, picture, day) 0.78, 0.22;
  (medium, picture, late) 0.71, 0.29;
  (medium, story, early) 0.8, 0.2;
  (medium, story, day) 0.83, 0.17;
  (medium, story, late) 0.76, 0.24;
  (long, plain, early) 0.91, 0.09;
  (long, plain, day) 0.94, 0.06;
  (long, plain, late) 0.87, 0.13;
  (long, picture, early) 0.81, 0.19;
  (long, picture, day) 0.84, 0.16;
  (long, picture, late) 0.77, 0.23;
  (long, story, early) 0.86, 0.14;
  (long, story, day) 0.89, 0.11;
  (long, story, late) 0.82, 0.18;
}
`,
  },
];
