// The settings reference in Markdown. Regenerate with: node gateway/settings/docs.ts
import { writeFileSync } from 'node:fs'
import { sections } from './help.ts'
import { RULES } from './startup-rules.ts'

const INTRODUCTION = `# Settings

Generated from \`gateway/settings/table.ts\`; change it there and run \`node gateway/settings/docs.ts\`.

Settings are environment variables. What the environment leaves out is looked up in the file that
\`GANTRY_CONFIG_FILE\` names, a flat JSON or YAML list of the same names, and then has its default. Booleans are
exactly \`true\` or \`false\`, lists are comma-separated, an empty value is unset. Secrets may also come from a file:
\`NAME_FILE\` holds its path.

A value that cannot be used is reported with its name and range, and the default is used; with
\`STRICT_CONFIG=production\` the gateway refuses to start instead, with exit code 78. What the
last table calls refused stops the start in any case. \`GANTRY_SECRET_*\` holds values for \`$env\` references in
imported configuration.
`

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*')

export function settingsReference(): string {
  const parts = sections().map(({ title, rows }) => {
    const lines = rows.map(([name, row]) => {
      const file = row.secret ? `<br>\`${name}_FILE\`` : ''
      return `| \`${name}\`${file} | ${cell(row.type)}; ${cell(row.range)} | ${cell(row.shownDefault)} | ${cell(row.meaning)} |`
    })
    return `\n## ${title}\n\n| Name | Type, range | Default | Meaning |\n|---|---|---|---|\n${lines.join('\n')}\n`
  })
  return INTRODUCTION + parts.join('') + rules()
}

function rules(): string {
  const lines = RULES.map(({ setting, effect, message, remedy }) => {
    const outcome = effect === 'warn' ? 'warning' : effect.replace('refuse', 'refused')
    return `| \`${setting}\` | ${cell(message)} | ${outcome} | ${cell(remedy)} |`
  })
  const head = '| Name | Mistake | Outcome | Remedy |\n|---|---|---|---|'
  return `\n## Settings that do not fit together\n\n${head}\n${lines.join('\n')}\n`
}

if (import.meta.main) writeFileSync(new URL('../../docs/settings.md', import.meta.url), settingsReference())
