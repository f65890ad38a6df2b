// The colours of text, axes and grids on a light and on a dark page, over the neutral ones that a
// figure's specification carries. Used by the page (page.js) and by render.js.
'use strict';

function armatureTheme(dark) {
  const ink = dark ? '#ececec' : '#1c1c1c';
  const quiet = dark ? '#b4b4b4' : '#555555';
  const line = dark ? '#5a5a5a' : '#bdbdbd';
  return {
    title: { color: ink, subtitleColor: quiet },
    axis: {
      labelColor: quiet,
      titleColor: ink,
      tickColor: line,
      domainColor: line,
      gridColor: dark ? '#ffffff' : '#000000',
      gridOpacity: dark ? 0.1 : 0.08,
    },
    header: { labelColor: ink, titleColor: ink },
    legend: { labelColor: ink, titleColor: ink },
    text: { color: ink },
    view: { stroke: null },
  };
}
