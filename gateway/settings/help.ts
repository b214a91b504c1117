// The settings part of `--help`, and the order in which people read settings: by section.
import type { Row } from './row.ts'
import { rowOf, SETTING_NAMES, type SettingName } from './table.ts'

export type Section = { readonly title: string; readonly rows: readonly (readonly [SettingName, Row<unknown>])[] }

export function sections(): readonly Section[] {
  const rows = SETTING_NAMES.map((name) => [name, rowOf(name)] as const)
  return [...Map.groupBy(rows, ([, row]) => row.section)].map(([title, rows]) => ({ title, rows }))
}

function wrap(text: string, indent: string, width: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line].join('\n')
}

export function helpText(width = 100): string {
  const parts = sections().map(({ title, rows }) => {
    const entries = rows.map(([name, row]) => {
      const file = row.secret ? ` (or ${name}_FILE)` : ''
      const facts = `  ${name}${file}  ${row.type}: ${row.range}; default ${row.shownDefault}`
      return `${facts}\n${wrap(row.meaning, '      ', width)}`
    })
    return `${title.toUpperCase()}\n${entries.join('\n')}`
  })
  return `${parts.join('\n\n')}\n`
}
