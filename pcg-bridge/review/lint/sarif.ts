// Findings as SARIF 2.1.0, the format that code review tools read.
import type { LintFinding } from './lint.ts'
import { LINT_RULES } from './lint.ts'

const LEVEL = { error: 'error', warning: 'warning', info: 'note' } as const

/** `lineOf`: the line of a node in the file, where there is one. */
export function sarifOf(
  file: string,
  findings: readonly LintFinding[],
  version: string,
  lineOf: (node: string) => number | null,
): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'gantry pcg lint',
            version,
            rules: LINT_RULES.map(({ id, severity, about, remedy }) => ({
              id,
              shortDescription: { text: about },
              help: { text: remedy },
              defaultConfiguration: { level: LEVEL[severity] },
            })),
          },
        },
        results: findings.map(({ rule, severity, node, name, message, remedy }) => {
          const startLine = node === null ? null : lineOf(node)
          return {
            ruleId: rule,
            ruleIndex: LINT_RULES.findIndex(({ id }) => id === rule),
            level: LEVEL[severity],
            message: { text: `${node === null ? '' : `${node}: `}${message}. ${remedy}.` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: encodeURI(file.replaceAll('\\', '/')) },
                  ...(startLine === null ? {} : { region: { startLine } }),
                },
                ...(name === null ? {} : { logicalLocations: [{ name, kind: 'element' }] }),
              },
            ],
          }
        }),
      },
    ],
  }
}
