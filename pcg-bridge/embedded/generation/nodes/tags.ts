// Tags of data: text, or `key:value`.
import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, matches, type NodeTable, names, out, params, str } from '../context.ts'
import { type Tagged, tableOf, withTable } from '../data.ts'
import { type Column, withAttribute } from '../points.ts'
import { textAt } from '../selector.ts'

function wanted(context: Parameters<NodeTable[string]>[0], name = 'SelectedTags'): string[] {
  return names(str(context, name), flag(context, 'bTokenizeOnWhiteSpace'))
}

function splitTag(tag: string): [string, string] {
  const at = tag.indexOf(':')
  return at < 0 ? [tag, ''] : [tag.slice(0, at), tag.slice(at + 1)]
}

const text = (value: string): Column => ({ type: 'String', width: 0, texts: [value], step: 0 })
const truth = (value: boolean): Column => ({
  type: 'Boolean',
  width: 1,
  data: Float64Array.of(value ? 1 : 0),
  step: 0,
})

/** `12` → Integer32, `1.5` → Double, another text → String, none → true. */
function tagColumn(value: string): Column {
  const number = Number(value)
  if (value === '') return truth(true)
  if (value.trim() === '' || !Number.isFinite(number)) return text(value)
  const type = /^[+-]?\d+$/.test(value) ? 'Integer32' : 'Double'
  return { type, width: 1, data: Float64Array.of(number), step: 0 }
}

/** What takes part, and under which name it goes on: everything under its own name where nothing is listed. */
function mapping(context: Parameters<NodeTable[string]>[0]): (name: string) => string | undefined {
  const listed = context.settings['AttributesTagsMapping']
  const entries = isRecord(listed) ? Object.entries(listed) : []
  if (entries.length === 0) return (name) => name
  const names = new Map(
    entries.map(([from, to]) => [from, to === '' || String(to).startsWith('@S') ? from : String(to)]),
  )
  return (name) => names.get(name.replace(/^@Data\./, ''))
}

/** Attributes with one value for the whole data, as tags. */
const attributesToTags: Execute = (context) => {
  const nameOf = mapping(context)
  return context.input('In').map((item) => {
    const table = tableOf(item.data)
    if (!table) return out(item.data, item.tags)
    const found = [...table.attributes].flatMap(([name, column]) => {
      const to = column.step === 0 || table.count === 1 ? nameOf(name) : undefined
      return to === undefined ? [] : [{ name, to, column }]
    })
    const made = found.flatMap(({ to, column }) => {
      if (column.width > 1 && flag(context, 'bDiscardNonParseableAttributeTypes')) return []
      return flag(context, 'bDiscardAttributeValue') || column.width > 1 ? [to] : [`${to}:${textAt(column, 0)}`]
    })
    const gone = new Set(flag(context, 'bDeleteInputsAfterOperation') ? found.map(({ name }) => name) : [])
    const attributes = new Map([...table.attributes].filter(([name]) => !gone.has(name)))
    const last = table.last !== null && gone.has(table.last) ? null : table.last
    return out(withTable(item.data, { ...table, attributes, last }), [...new Set([...item.tags, ...made])])
  })
}

const tagsToAttributes: Execute = (context) => {
  const nameOf = mapping(context)
  return context.input('In').map((item) => {
    const table = tableOf(item.data)
    if (!table) return out(item.data, item.tags)
    const found = item.tags.flatMap((tag) => {
      const [key, value] = splitTag(tag)
      const to = nameOf(key)
      return to === undefined || to === '' ? [] : [{ tag, to, column: tagColumn(value) }]
    })
    const gone = new Set(flag(context, 'bDeleteInputsAfterOperation') ? found.map(({ tag }) => tag) : [])
    const made = found.reduce((into, { to, column }) => withAttribute(into, to, column), table)
    return out(
      withTable(item.data, made),
      item.tags.filter((tag) => !gone.has(tag)),
    )
  })
}

export const tags: NodeTable = {
  PCGDataAttributesToTagsSettings: attributesToTags,
  PCGTagsToDataAttributesSettings: tagsToAttributes,

  PCGAddTagSettings: (context) => {
    const added = wanted(context, 'TagsToAdd').map((tag) => `${str(context, 'Prefix')}${tag}${str(context, 'Suffix')}`)
    return context.input('In').map((item) => out(item.data, [...new Set([...item.tags, ...added])]))
  },

  PCGDeleteTagsSettings: (context) => {
    const chosen = wanted(context)
    const named = (tag: string) =>
      chosen.some((name) => [tag, splitTag(tag)[0]].some((form) => matches(str(context, 'Operator'), form, name)))
    const keep = str(context, 'Operation') === 'KeepOnlySelectedTags'
    return context.input('In').map((item) =>
      out(
        item.data,
        item.tags.filter((tag) => named(tag) === keep),
      ),
    )
  },

  PCGReplaceTagsSettings: (context) => {
    const [from, to] = [wanted(context), wanted(context, 'ReplacedTags')]
    const replace = (tag: string) => {
      const at = from.indexOf(tag)
      return at < 0 ? tag : to.length === 1 ? (to[0] ?? '') : (to[at] ?? '')
    }
    return context.input('In').map((item) =>
      out(
        item.data,
        item.tags.map(replace).filter((tag) => tag !== ''),
      ),
    )
  },

  PCGGetTagsSettings: (context) =>
    context.input('In').map((item) =>
      params({
        count: item.tags.length,
        attributes: new Map<string, Column>([['Tag', { type: 'String', width: 0, texts: [...item.tags], step: 1 }]]),
        last: 'Tag',
      }),
    ),

  PCGTagsToAttributeSetSettings: (context) =>
    context.input('In').map((item) => {
      const columns = item.tags.map((tag): [string, Column] => {
        const [key, value] = splitTag(tag)
        return [key, value === '' ? truth(true) : text(value)]
      })
      return params({ count: 1, attributes: new Map(columns), last: columns.at(-1)?.[0] ?? null }, item.tags)
    }),

  PCGSortTagsSettings: (context) => {
    const tag = str(context, 'Tag')
    const valueOf = (item: Tagged) => item.tags.map(splitTag).find(([key]) => key === tag)?.[1] ?? ''
    const turn = str(context, 'SortMethod') === 'Descending' ? -1 : 1
    const compare = (a: string, b: string) => {
      const difference = Number(a) - Number(b)
      return Number.isNaN(difference) ? (a < b ? -1 : a > b ? 1 : 0) : difference
    }
    return [...context.input('In')]
      .sort((a, b) => turn * compare(valueOf(a), valueOf(b)))
      .map((item) => out(item.data, item.tags))
  },
}
