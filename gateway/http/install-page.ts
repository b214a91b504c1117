// The install page as text: self-contained, readable without a script, every value escaped.
import type { InstallView } from '../contract/admin/install-links.ts'
import { type Catalogue, LANGUAGE_TAGS, LANGUAGES, type Language, translator } from '../contract/translate.ts'
import GERMAN from './de.json' with { type: 'json' }

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)

/** The colours of the application. */
export const INSTALL_STYLE = `
:root { color-scheme: light dark; --page: light-dark(oklch(0.981 0.002 260), oklch(0.168 0.008 265)); --card: light-dark(oklch(1 0 0), oklch(0.199 0.009 265)); --ink: light-dark(oklch(0.215 0.012 265), oklch(0.948 0.004 265)); --quiet: light-dark(oklch(0.43 0.013 265), oklch(0.765 0.01 265)); --line: light-dark(oklch(0.918 0.004 260), oklch(0.272 0.01 265)); --link: light-dark(oklch(0.47 0.155 256), oklch(0.77 0.105 250)); --brand: light-dark(oklch(0.72 0.165 62), oklch(0.775 0.155 66)); --code: light-dark(oklch(0.962 0.003 260), oklch(0.146 0.007 265)); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 14px/1.55 system-ui, sans-serif; }
main { max-width: 760px; margin: 0 auto; padding: 40px 20px 64px; }
header { display: flex; align-items: center; gap: 10px; margin-bottom: 28px; font-weight: 600; }
header svg { width: 28px; height: 28px; } header nav { margin-left: auto; font-weight: 400; }
h1 { margin: 0 0 6px; font-size: 22px; letter-spacing: -0.012em; }
h2 { margin: 32px 0 10px; font-size: 15px; }
p { margin: 0 0 12px; } .quiet { color: var(--quiet); }
details { margin-bottom: 8px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
summary { padding: 11px 16px; cursor: pointer; font-weight: 600; }
.body { padding: 0 16px 16px; }
.code { position: relative; }
pre { margin: 0 0 12px; padding: 12px 14px; overflow: auto; background: var(--code); border-radius: 6px; font: 12.5px/1.55 ui-monospace, monospace; }
code { font: 12.5px/1.5 ui-monospace, monospace; }
button, .link { display: inline-block; padding: 6px 12px; font: inherit; font-size: 13px; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; text-decoration: none; }
.code button { position: absolute; top: 8px; right: 8px; }
.links { display: flex; flex-wrap: wrap; gap: 8px; margin-bottom: 12px; } .link, nav a { color: var(--link); }
.key { filter: blur(5px); } .key:is(:hover, :focus) { filter: none; }
ol { margin: 0 0 12px; padding-left: 22px; } li { margin-bottom: 4px; overflow-wrap: anywhere; }
dl { margin: 0; } dt { margin-top: 10px; font-weight: 600; overflow-wrap: anywhere; } dd { margin: 0; color: var(--quiet); }
:is(a, button, summary):focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`

const CATALOGUES: Readonly<Record<Language, Catalogue | undefined>> = { en: undefined, de: GERMAN }
const textsOf = (language: Language) => translator(language, CATALOGUES[language])
type Texts = ReturnType<typeof textsOf>

const MARK = `<svg aria-hidden="true" viewBox="0 0 32 32" fill="none" stroke-linecap="round" stroke-linejoin="round" stroke-width="2.6"><path d="M7 26V9h18v17M3.5 9h25" stroke="currentColor"/><path d="M16 9v7" stroke="var(--brand)"/><rect x="12.4" y="16" width="7.2" height="6.2" rx="1.4" fill="var(--brand)"/></svg>`

const NAME = 'Gantry'

const otherLanguages = (language: Language): string =>
  LANGUAGE_TAGS.filter((each) => each !== language)
    .map((each) => `<a href="?lang=${each}" lang="${each}">${LANGUAGES[each]}</a>`)
    .join(' ')

const documentOf = (language: Language, title: string, body: string, script = ''): string => `<!doctype html>
<html lang="${language}">
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
<header>${MARK}${NAME}<nav>${otherLanguages(language)}</nav></header>
${body}
</main>${script === '' ? '' : `\n<script>${script}</script>`}
</body>
</html>
`

/** How the page shows a text to copy: its key is blurred until it is pointed at. */
function codeIn({ t }: Texts, key: string) {
  const hidden = `<span class="key" tabindex="0">${escape(key)}</span>`
  return (id: string, text: string): string =>
    `<div class="code"><pre id="${id}">${escape(text).replaceAll(escape(key), hidden)}</pre><button type="button" data-copy="${id}" data-copied="${escape(t('Copied'))}" data-failed="${escape(t('Select and copy by hand'))}" hidden>${escape(t('Copy'))}</button></div>`
}

type Client = InstallView['connect']['clients'][number]

const linksOf = (clients: readonly Client[], { t }: Texts): string => {
  const links = clients.flatMap(({ label, deepLink }) =>
    deepLink === null
      ? []
      : [`<a class="link" href="${escape(deepLink)}">${escape(t('Open in {client}', { client: label }))}</a>`],
  )
  return links.length === 0 ? '' : `<p class="links">${links.join('')}</p>`
}

const clientSection =
  ({ t }: Texts, code: ReturnType<typeof codeIn>) =>
  ({ id, label, filename, snippet, command, instructions }: Client, at: number): string =>
    `<details${at === 0 ? ' open' : ''}><summary>${escape(t(label))}</summary><div class="body">
<p class="quiet"><code>${escape(filename)}</code></p>
${code(`snippet-${id}`, snippet)}
<ol>${instructions.map((step) => `<li>${escape(t(step))}</li>`).join('')}</ol>
${command === null ? '' : code(`command-${id}`, command)}
</div></details>`

const listed = (entries: readonly { readonly name: string; readonly description: string }[]): string =>
  `<dl>${entries.map(({ name, description }) => `<dt><code>${escape(name)}</code></dt><dd>${escape(description)}</dd>`).join('')}</dl>`

export function installPage({ bundle, connect }: InstallView, script: string, language: Language): string {
  const texts = textsOf(language)
  const { t, plural } = texts
  const entries = [...bundle.tools, ...bundle.composites]
  const about =
    bundle.description ??
    plural(
      entries.length,
      '{count} tool for your agent, through Gantry.',
      '{count} tools for your agent, through Gantry.',
    )
  const code = codeIn(texts, connect.headers.Authorization.replace(/^Bearer /, ''))
  return documentOf(
    language,
    `${bundle.name} · Gantry`,
    `<h1>${escape(bundle.name)}</h1>
<p class="quiet">${escape(about)}</p>
<p>${escape(t('This page contains an access key for this bundle. Keep the key and this link secret.'))}</p>
<h2>${escape(t('Your client'))}</h2>
${linksOf(connect.clients, texts)}
${connect.clients.map(clientSection(texts, code)).join('\n')}
<h2>${escape(t('Manual setup'))}</h2>
<p class="quiet">${escape(t('Address (Streamable HTTP)'))}</p>
${code('url', connect.url)}
<p class="quiet">${escape(t('Header'))}</p>
${code('header', `Authorization: ${connect.headers.Authorization}`)}
<h2>${escape(plural(entries.length, '{count} tool', '{count} tools'))}</h2>
${listed(entries)}`,
    script,
  )
}

/** One page for every token that shows nothing. */
export function missingPage(requestId: string, language: Language): string {
  const { t } = textsOf(language)
  return documentOf(
    language,
    'Gantry',
    `<h1>${escape(t('This link does not work'))}</h1>
<p>${escape(t('The link is wrong or has expired. Ask the person who sent it for a new one.'))}</p>
<p class="quiet"><code>INSTALL_LINK_NOT_FOUND</code> · ${escape(t('request'))} <code>${escape(requestId)}</code></p>`,
  )
}
