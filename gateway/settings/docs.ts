// The settings reference in Markdown. Regenerate with: node gateway/settings/docs.ts
import { writeFileSync } from 'node:fs'
import { sections } from './help.ts'
import { RULES } from './startup-rules.ts'

const INTRODUCTION = `# Settings

Generated from \`gateway/settings/table.ts\`; change it there and run \`node gateway/settings/docs.ts\`.

Settings are environment variables. A variable that is unset there is read from the file that \`GANTRY_CONFIG_FILE\`
names, a flat JSON or YAML list of the same names; otherwise the default applies. Booleans are exactly \`true\` or
\`false\`, lists are comma-separated, an empty value is unset. A secret may also be in a file: \`NAME_FILE\` holds its
path.

An invalid value is reported with its name and range, and the default is used. With \`STRICT_CONFIG=production\` the
gateway refuses to start instead, with exit code 78. Combinations that the last table marks as refused always stop the
start. \`GANTRY_SECRET_*\` holds values for \`$env\` references in imported configuration.
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
  return `\n## Invalid combinations\n\n${head}\n${lines.join('\n')}\n`
}

if (import.meta.main) writeFileSync(new URL('../../docs/settings.md', import.meta.url), settingsReference())
