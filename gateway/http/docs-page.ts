// The page and style of the API explorer, as text: the server is one bundled file and reads nothing from disk for it.
export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Gantry API</title>
<link rel="stylesheet" href="docs/explorer.css">
<script src="docs/explorer.js" defer></script>
</head>
<body>
<header>
<h1>Gantry API</h1>
<p class="version" id="version"></p>
<input id="search" type="search" placeholder="Search routes  /" aria-label="Search routes" autocomplete="off" spellcheck="false">
<nav class="links"><a href="docs/openapi.json">JSON</a><a href="docs/openapi.yaml">YAML</a><button id="theme" type="button" aria-label="Switch between dark and light">Theme</button></nav>
</header>
<div class="frame">
<nav id="tags" aria-label="Groups"></nav>
<main id="routes" aria-live="polite"><p class="quiet">Loading…</p></main>
</div>
<noscript><p class="quiet">The explorer needs JavaScript. The document itself is at <a href="docs/openapi.json">openapi.json</a>.</p></noscript>
</body>
</html>
`

export const DOCS_STYLE = `
:root {
  --page: #fbfbfa; --card: #fff; --ink: #1c1d20; --quiet: #6a6d75; --line: #e4e4e1; --accent: #3b5bdb; --code: #f3f3f0;
  --get: #1f7a4d; --post: #2f5fd0; --put: #9a6700; --patch: #9a6700; --delete: #c02b36;
  font: 15px/1.5 system-ui, sans-serif; color-scheme: light;
}
:root[data-theme='dark'] {
  --page: #141518; --card: #1b1d21; --ink: #e8e8e6; --quiet: #9a9da6; --line: #2c2f35; --accent: #8aa4ff; --code: #23262b;
  --get: #62c796; --post: #86a8ff; --put: #e0b45a; --patch: #e0b45a; --delete: #ff8a90; color-scheme: dark;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 16px; align-items: center; padding: 10px 24px;
  background: var(--card); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 17px; }
.version, .quiet { margin: 0; color: var(--quiet); }
.version { font-size: 13px; }
#search { flex: 1; max-width: 460px; margin-left: auto; padding: 7px 12px; font: inherit; color: inherit;
  background: var(--page); border: 1px solid var(--line); border-radius: 8px; }
.links { display: flex; gap: 12px; align-items: center; }
.links a, #tags a { color: var(--accent); text-decoration: none; }
.links button { padding: 5px 10px; font: inherit; font-size: 13px; color: inherit; background: none;
  border: 1px solid var(--line); border-radius: 8px; cursor: pointer; }
:is(a, button, input, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.frame { display: grid; grid-template-columns: 210px minmax(0, 1fr); gap: 32px; max-width: 1280px; margin: 0 auto; padding: 24px; }
#tags { position: sticky; top: 74px; align-self: start; display: grid; gap: 2px; max-height: calc(100vh - 98px); overflow: auto; }
#tags a { display: flex; justify-content: space-between; padding: 4px 10px; border-radius: 6px; color: var(--ink); }
#tags a:hover { background: var(--code); }
#tags span { color: var(--quiet); font-size: 13px; }
section { margin-bottom: 32px; scroll-margin-top: 80px; }
h2 { margin: 0 0 10px; font-size: 16px; text-transform: capitalize; }
details.route { margin-bottom: 6px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; scroll-margin-top: 80px; }
details.route > summary { display: flex; gap: 12px; align-items: baseline; padding: 8px 14px; cursor: pointer; list-style: none; }
details.route > summary::-webkit-details-marker { display: none; }
.method { flex: none; width: 58px; font: 600 12px/1.6 ui-monospace, monospace; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.path { flex: none; font: 13.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.summary { color: var(--quiet); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.role { flex: none; margin-left: auto; padding: 0 8px; font-size: 12px; color: var(--quiet); border: 1px solid var(--line); border-radius: 99px; }
.body { padding: 2px 14px 14px; border-top: 1px solid var(--line); }
h3 { margin: 14px 0 6px; font-size: 13px; color: var(--quiet); font-weight: 600; }
.schema { padding: 8px 12px; background: var(--code); border-radius: 8px; font: 13px/1.6 ui-monospace, monospace; overflow: auto; }
.schema details > summary, .schema .leaf { padding-left: 2px; }
.schema details > div { margin-left: 14px; padding-left: 10px; border-left: 1px solid var(--line); }
.schema summary { cursor: pointer; }
.type { color: var(--accent); } .note { color: var(--quiet); font-family: system-ui, sans-serif; }
@media (max-width: 760px) {
  .frame { grid-template-columns: 1fr; padding: 16px; } #tags { display: none; }
  header { flex-wrap: wrap; padding: 10px 16px; } #search { order: 9; flex-basis: 100%; max-width: none; }
  details.route > summary { flex-wrap: wrap; gap: 4px 12px; }
}
`
