// Which grammar a point follows, and what a grammar says.
import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, type NodeContext, type NodeTable, passing, perPoints, str } from '../context.ts'
import { tableOf } from '../data.ts'
import { GrammarError, grammarText, parseGrammar } from '../grammar.ts'
import type { Column } from '../points.ts'
import { numbers, readSelector, textAt, writeSelector } from '../selector.ts'

type Criterion = {
  readonly key: string
  readonly comparator: string
  readonly first: number
  readonly second: number
  readonly grammar: string
}

function criteriaOf(context: NodeContext): Criterion[] {
  const table = context.input('Selection Criteria Data').map((item) => tableOf(item.data))[0]
  if (flag(context, 'bCriteriaAsInput') && table) {
    const given = flag(context, 'bRemapCriteriaAttributeNames') ? context.settings['CriteriaAttributeNames'] : undefined
    const names = isRecord(given) ? given : {}
    const cell = (key: string, row: number) => {
      const column = table.attributes.get(String(names[`${key}AttributeName`] || key))
      return column ? textAt(column, row) : ''
    }
    return Array.from({ length: table.count }, (_, row) => ({
      key: cell('Key', row),
      comparator: cell('Comparator', row),
      first: Number(cell('FirstValue', row)),
      second: Number(cell('SecondValue', row)),
      grammar: cell('Grammar', row),
    }))
  }
  const list: unknown = context.settings['Criteria']
  return (Array.isArray(list) ? list.filter(isRecord) : []).map((row) => ({
    key: String(row['Key'] ?? ''),
    comparator: String(row['Comparator'] ?? 'Select'),
    first: Number(row['FirstValue'] ?? 0),
    second: Number(row['SecondValue'] ?? 0),
    grammar: String(row['Grammar'] ?? ''),
  }))
}

const COMPARE: Readonly<Record<string, (value: number, a: number, b: number) => boolean>> = {
  Select: () => true,
  LessThan: (value, a) => value < a,
  LessThanOrEqualTo: (value, a) => value <= a,
  EqualTo: (value, a) => Math.abs(value - a) < 1e-8,
  GreaterThanOrEqualTo: (value, a) => value >= a,
  GreaterThan: (value, a) => value > a,
  RangeExclusive: (value, a, b) => value > a && value < b,
  RangeInclusive: (value, a, b) => value >= a && value <= b,
}

/** The first criterion of the key whose comparison holds gives the grammar. */
const selectGrammar: Execute = perPoints((given, context) => {
  const criteria = criteriaOf(context)
  const keys = flag(context, 'bKeyAsAttribute') ? readSelector(given, str(context, 'KeyAttribute')) : undefined
  const compared = readSelector(given, str(context, 'ComparedValueAttribute'))
  const values = compared ? numbers(compared, given.count, 1) : new Float64Array(given.count)
  const texts = Array.from({ length: given.count }, (_, row) => {
    const key = flag(context, 'bKeyAsAttribute') ? (keys ? textAt(keys, row) : '') : str(context, 'Key')
    const found = criteria.find(
      (one) => one.key === key && COMPARE[one.comparator]?.(values[row] ?? 0, one.first, one.second) === true,
    )
    return found?.grammar ?? (flag(context, 'bCopyKeyForUnselectedGrammar') ? key : '')
  })
  const target = str(context, 'OutputGrammarAttribute')
  const column: Column = { type: 'String', width: 0, texts, step: 1 }
  return writeSelector(given, target.startsWith('@') || target === '' ? 'Grammar' : target, column) ?? given
})

const printGrammar: Execute = (context) => {
  try {
    context.warn(`Print: ${grammarText(parseGrammar(str(context, 'Grammar')))}`)
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error
    context.fail(error.message)
  }
  return passing('In')(context)
}

export const grammarChoice: NodeTable = {
  PCGSelectGrammarSettings: selectGrammar,
  PCGPrintGrammarSettings: printGrammar,
}
