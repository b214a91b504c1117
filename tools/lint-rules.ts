// The rules of the PCG linter in Markdown. Regenerate with: node tools/lint-rules.ts
import { writeFileSync } from 'node:fs'
import { LINT_RULES } from '../pcg-bridge/review/index.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

export function lintRulesPage(): string {
  const rows = LINT_RULES.map(
    ({ id, severity, about, remedy }) => `| \`${id}\` | ${severity} | ${cell(about)} | ${cell(remedy)} |`,
  )
  return `# Rules of the PCG linter

Generated from \`pcg-bridge/review/lint/\`; change a rule there and run \`node tools/lint-rules.ts\`. [pcg-review.md](pcg-review.md) shows how to run it. A setting that an attribute set overrides is not judged.

| Rule | Severity | Finds | Correct it |
|---|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) writeFileSync(new URL('../docs/pcg-lint-rules.md', import.meta.url), lintRulesPage())
