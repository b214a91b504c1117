// The audit report as one self-contained HTML page without scripts, every value escaped.
import type { Schema } from '../storage/schema.ts'
import type { ReportFields } from './report.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 90rem }
h1 { font-size: 1.4rem }
.verdict { font-weight: 600; padding: .5rem .75rem; border-left: .3rem solid }
.intact { border-color: #2e7d32 } .broken { border-color: #c62828 }
dt { font-weight: 600 } dd { margin: 0 0 .5rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8884; padding: .3rem .5rem; text-align: left; vertical-align: top }
td { unicode-bidi: isolate; overflow-wrap: anywhere; white-space: pre-wrap }
.code { font: 12px/1.5 ui-monospace, monospace }
`

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// SQLite cells have any type, so a tampered row need not contain text.
function escape(value: unknown): string {
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

function verdictOf({ verification }: ReportFields): string {
  const { valid, brokenAt, reason, checked } = verification
  if (valid) return `<p class="verdict intact">intact: ${checked} entries checked</p>`
  const place = brokenAt === null ? 'BROKEN' : `BROKEN at #${brokenAt}`
  return `<p class="verdict broken">${place}: ${escape(reason)}</p>`
}

export function htmlStart(facts: ReportFields): string {
  const { verification, filters } = facts
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const about = [
    ['Exported at', facts.exportedAt],
    ['Filters', given.length === 0 ? 'none' : given.map(([name, value]) => `${name} = ${value}`).join(', ')],
    ['Entries', String(facts.count)],
    ['Head', verification.headId === null ? 'none' : `#${verification.headId} ${verification.headHash}`],
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Gantry audit report</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Gantry audit report</h1>
${verdictOf(facts)}
<dl>
${about.map(([term, text]) => `<dt>${term}</dt><dd>${escape(text)}</dd>`).join('\n')}
</dl>
<table>
<thead><tr><th>#</th><th>When</th><th>Actor</th><th>Action</th><th>Target</th><th>Detail</th><th>Hash</th></tr></thead>
<tbody>
`
}

export function htmlRow(row: Schema['audit_log']): string {
  const plain = [String(row.id), row.created_at, row.actor, row.action, row.target]
  const code = [row.detail ?? '', row.hash]
  const cells = [
    ...plain.map((text) => `<td>${escape(text)}</td>`),
    ...code.map((text) => `<td class="code">${escape(text)}</td>`),
  ]
  return `<tr>${cells.join('')}</tr>\n`
}

export const htmlEnd = `</tbody>
</table>
</body>
</html>
`
