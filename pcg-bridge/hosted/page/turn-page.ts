// The page that shows a turn to a person (MCP Apps, SEP-1865): one file, no network, no foreign text as markup.
import { createHash } from 'node:crypto'
import type { HostedPage } from '../../contract/index.ts'
import { turnApp } from './turn-app.ts'

export const TURN_PAGE_URI = 'ui://gantry/pcg-turn'

const STYLE = `
:root { color-scheme: light; --back: #ffffff; --text: #0f172a; --soft: #64748b; --line: #e2e8f0; --panel: #f8fafc;
  --added: #15803d; --removed: #b91c1c; --changed: #b45309; --button: #0f172a; --on-button: #ffffff }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; --back: #0f172a; --text: #e2e8f0;
  --soft: #94a3b8; --line: #334155; --panel: #1e293b; --added: #4ade80; --removed: #f87171; --changed: #fbbf24;
  --button: #e2e8f0; --on-button: #0f172a } }
:root[data-theme="dark"] { color-scheme: dark; --back: #0f172a; --text: #e2e8f0; --soft: #94a3b8; --line: #334155;
  --panel: #1e293b; --added: #4ade80; --removed: #f87171; --changed: #fbbf24; --button: #e2e8f0; --on-button: #0f172a }
* { box-sizing: border-box }
body { margin: 0; padding: 16px; background: var(--back); color: var(--text); font: 13px/1.45 system-ui, sans-serif }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; margin-bottom: 12px }
h1 { flex: 1 1 auto; margin: 0; font-size: 14px; font-weight: 600; overflow-wrap: anywhere }
button { border: 0; border-radius: 6px; padding: 6px 12px; background: var(--button); color: var(--on-button); font: inherit;
  font-weight: 600; cursor: pointer }
button:disabled { opacity: .5; cursor: default }
button:focus-visible { outline: 2px solid var(--changed); outline-offset: 2px }
#counts { display: flex; align-items: baseline; gap: 6px }
.count { font-size: 16px; font-weight: 600 }
.arrow, .unit, figcaption, #note { color: var(--soft) }
.delta { font-weight: 600 } .delta.more { color: var(--added) } .delta.less { color: var(--removed) }
#pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px }
figure { margin: 0; min-width: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--panel) }
figure img { display: block; width: 100%; height: auto; background: #f8fafc }
figcaption { padding: 6px 10px; font-size: 12px }
#pictures figure img { max-height: 320px; object-fit: contain; background: #eef2f7 }
ul { list-style: none; margin: 12px 0; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
  max-height: 240px; overflow: auto; font: 12px/1.6 ui-monospace, monospace }
ul:empty { display: none }
li { overflow-wrap: anywhere; white-space: pre-wrap }
.added { color: var(--added) } .removed { color: var(--removed) } .changed { color: var(--changed) }
#note { margin: 8px 0 0; overflow-wrap: anywhere } #note:empty { display: none }
[hidden] { display: none }
`

const hashed = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function page(): string {
  const script = `(${turnApp.toString()})()`
  const policy = `default-src 'none'; script-src ${hashed(script)}; style-src ${hashed(STYLE)}; img-src data:; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PCG turn</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1 id="title">PCG turn</h1><div id="counts"></div><button id="undo" type="button" hidden>Undo turn</button></header>
<div id="pictures"></div>
<ul id="changes"></ul>
<div id="graph"></div>
<p id="note" role="status">Waiting for the result…</p>
<script>${script}</script>
</body>
</html>
`
}

/** Nothing is loaded from anywhere: no domain is declared. */
const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true }
export const TURN_PAGE: HostedPage = {
  uri: TURN_PAGE_URI,
  name: 'pcg-turn',
  title: 'PCG turn',
  description: 'What a turn changed in a graph: differences, counts and pictures before and after, and undo',
  mimeType: 'text/html;profile=mcp-app',
  _meta: { ui },
  text: page(),
}
