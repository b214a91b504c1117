import { describe, expect, it } from 'vitest'
import { NODE_TYPES } from '#pcg-catalog'
import { ranked } from './search.ts'

const ITEMS = NODE_TYPES.map(({ name, title, category }) => ({ key: name, title, also: `${name} ${category}` }))
const found = (words: string, first: readonly string[] = []) => ranked(ITEMS, words, first).map(({ title }) => title)

describe('a search', () => {
  it.each([
    ['surf', 'Surface Sampler'],
    ['ss', 'Spline Sampler'],
    ['dens filt', 'Density Filter'],
    ['PCGTransformPointsSettings', 'Transform Points'],
  ])('finds by %s', (words, title) => expect(found(words).slice(0, 12)).toContain(title))

  it('lists recent entries first, and returns none for an unknown word', () => {
    expect(found('', ['PCGDensityFilterSettings'])[0]).toBe('Density Filter')
    expect(found('', [])).toHaveLength(ITEMS.length)
    expect(found('zzqx')).toEqual([])
  })
})
