// Assertions and what was found, in the language of the interface: answers carry them in English.
import type { Assertion } from '#pcg-contract'
import { plural, t } from '../../language/language.ts'

export function assertionLabel(assertion: Assertion): string {
  switch (assertion.check) {
    case 'count': {
      const { of, min, max } = assertion
      const what = of === undefined ? t('instances') : t('points of {node}', { node: of })
      if (max === undefined) return t('{what}: at least {min}', { what, min: min ?? 0 })
      return min === undefined
        ? t('{what}: at most {max}', { what, max })
        : t('{what}: {min} to {max}', { what, min, max })
    }
    case 'inside':
      return assertion.min && assertion.max
        ? t('{node} is inside its box', { node: assertion.of })
        : t('{node} is inside the component', { node: assertion.of })
    case 'no overlap':
      return t('no points of {node} closer than {cm} cm', { node: assertion.of, cm: assertion.closer })
    case 'deterministic':
      return t('deterministic under one seed')
    case 'within':
      return t('within {ms} ms', { ms: assertion.ms })
  }
}

type Form = readonly [pattern: RegExp, shown: (...parts: readonly string[]) => string]
/** The sentences of the judge, by their form. */
const FOUND: readonly Form[] = [
  [/^(\d+)$/, (count = '') => count],
  [/^([\d.]+) ms$/, (ms = '') => t('{ms} ms', { ms })],
  [/^(\d+) points?$/, (count = '') => plural(Number(count), '{count} point', '{count} points')],
  [/^(\d+) of (\d+) points? outside$/, (count = '', all = '') => t('{count} of {all} points outside', { count, all })],
  [
    /^(\d+) pairs or more, the nearest ([\d.]+) cm apart$/,
    (count = '', cm = '') => t('{count} pairs or more, the nearest {cm} cm apart', { count, cm }),
  ],
  [
    /^(\d+) pairs?, the nearest ([\d.]+) cm apart$/,
    (count = '', cm = '') =>
      plural(Number(count), '{count} pair, {cm} cm apart', '{count} pairs, the nearest {cm} cm apart', { cm }),
  ],
  [/^it was generated once only$/, () => t('generated once only')],
  [/^the same twice$/, () => t('the same twice')],
  [/^(\d+) different results$/, (count = '') => t('{count} different results', { count })],
  [/^the graph has no such node/, () => t('The graph has no such node, or the editor does not show its points')],
]

/** Undefined where it has no form of ours. */
export function foundForm(found: string): string | undefined {
  for (const [pattern, shown] of FOUND) {
    const match = pattern.exec(found)
    if (match) return shown(...match.slice(1))
  }
  return undefined
}
