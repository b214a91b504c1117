// Tags of data: text, or `key:value`.
import { flag, matches, type NodeTable, names, out, params, str } from '../context.ts'
import type { Tagged } from '../data.ts'
import type { Column } from '../points.ts'

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

export const tags: NodeTable = {
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
