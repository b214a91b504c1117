// The install page as text: self-contained, readable without a script, every value escaped.
import type { InstallView } from '../contract/admin/install-links.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)

export const INSTALL_STYLE = `
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1c1d20; --quiet: #61646c; --line: #e4e4e1; --accent: #3b5bdb; --code: #f3f3f0; }
@media (prefers-color-scheme: dark) { :root { --page: #141518; --card: #1b1d21; --ink: #e8e8e6; --quiet: #a2a5ae; --line: #2c2f35; --accent: #8aa4ff; --code: #23262b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 760px; margin: 0 auto; padding: 40px 20px 64px; }
h1 { margin: 0 0 6px; font-size: 26px; letter-spacing: -0.012em; }
h2 { margin: 36px 0 12px; font-size: 18px; }
p { margin: 0 0 12px; } .quiet { color: var(--quiet); }
details { margin-bottom: 8px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
summary { padding: 11px 16px; cursor: pointer; font-weight: 600; }
.body { padding: 0 16px 16px; }
.code { position: relative; }
pre { margin: 0 0 12px; padding: 12px 14px; overflow: auto; background: var(--code); border-radius: 8px; font: 13.5px/1.55 ui-monospace, monospace; }
code { font: 13.5px/1.5 ui-monospace, monospace; }
button, .link { display: inline-block; padding: 6px 12px; font: inherit; font-size: 14px; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; cursor: pointer; text-decoration: none; }
.code button { position: absolute; top: 8px; right: 8px; }
.link { color: var(--accent); }
ol { margin: 0 0 12px; padding-left: 22px; } li { margin-bottom: 4px; overflow-wrap: anywhere; }
dl { margin: 0; } dt { margin-top: 10px; font-weight: 600; overflow-wrap: anywhere; } dd { margin: 0; color: var(--quiet); }
:is(a, button, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`

const documentOf = (title: string, body: string, script = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${escape(title)}</title>
<style>${INSTALL_STYLE}</style>
</head>
<body>
<main>
${body}
</main>${script === '' ? '' : `\n<script>${script}</script>`}
</body>
</html>
`

const code = (id: string, text: string): string =>
  `<div class="code"><pre id="${id}">${escape(text)}</pre><button type="button" data-copy="${id}" hidden>Copy</button></div>`

type Client = InstallView['connect']['clients'][number]

function clientSection({ id, label, filename, snippet, command, instructions, deepLink }: Client, at: number): string {
  const link = deepLink === null ? '' : `<p><a class="link" href="${escape(deepLink)}">Open in ${escape(label)}</a></p>`
  return `<details${at === 0 ? ' open' : ''}><summary>${escape(label)}</summary><div class="body">
${link}<p class="quiet"><code>${escape(filename)}</code></p>
${code(`snippet-${id}`, snippet)}
<ol>${instructions.map((step) => `<li>${escape(step)}</li>`).join('')}</ol>
${command === null ? '' : code(`command-${id}`, command)}
</div></details>`
}

const listed = (entries: readonly { readonly name: string; readonly description: string }[]): string =>
  `<dl>${entries.map(({ name, description }) => `<dt><code>${escape(name)}</code></dt><dd>${escape(description)}</dd>`).join('')}</dl>`

export function installPage({ bundle, connect }: InstallView, script: string): string {
  const entries = [...bundle.tools, ...bundle.composites]
  const count = entries.length === 1 ? '1 tool' : `${entries.length} tools`
  return documentOf(
    `${bundle.name} · Gantry`,
    `<h1>${escape(bundle.name)}</h1>
<p class="quiet">${escape(bundle.description ?? `${count} for your agent, through Gantry.`)}</p>
<p>The key on this page opens this bundle and nothing else. Treat it like a password, and this address too.</p>
<h2>Your client</h2>
${connect.clients.map(clientSection).join('\n')}
<h2>By hand</h2>
<p class="quiet">Address (Streamable HTTP)</p>
${code('url', connect.url)}
<p class="quiet">Header</p>
${code('header', `Authorization: ${connect.headers.Authorization}`)}
<h2>${count}</h2>
${listed(entries)}`,
    script,
  )
}

/** One page for every token that shows nothing. */
export function missingPage(requestId: string): string {
  return documentOf(
    'Gantry',
    `<h1>This link does not work</h1>
<p>The link is wrong or has expired. Ask the person who sent it for a new one.</p>
<p class="quiet"><code>INSTALL_LINK_NOT_FOUND</code> · request <code>${escape(requestId)}</code></p>`,
  )
}
