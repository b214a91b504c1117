import fc from 'fast-check'
import { expect, it } from 'vitest'
import { afterName, beforeId, pageById, pageByName } from './page.ts'

const idCursor = (id: number) => pageById([{ id }, { id: 0 }], 1).nextCursor ?? ''
const nameCursor = (name: string) => pageByName([name, ''], 1, String).nextCursor ?? ''

it('refuses everything that is not a cursor of this kind of list [ct.1.6.bad-cursor]', () => {
  const bad = [
    '',
    'x',
    '!',
    '0',
    idCursor(7).slice(1),
    `${idCursor(7)}A`,
    `${idCursor(7)}=`,
    nameCursor('ada'),
    'A'.repeat(513),
  ]
  for (const cursor of [...bad, idCursor(0), idCursor(-1), idCursor(1.5), idCursor(2 ** 53)])
    expect(() => beforeId(cursor), cursor).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        extras: { fields: [expect.objectContaining({ path: 'cursor' })] },
      }),
    )
  expect(() => afterName(idCursor(7))).toThrow('cursor')
  fc.assert(
    fc.property(fc.string(), (text) => {
      let id: number | undefined
      try {
        id = beforeId(text)
      } catch {
        return
      }
      expect(idCursor(id ?? 0)).toBe(text)
    }),
  )
})

it('gives back what it was made of, within 512 characters of base64url [ct.1.6.opaque]', () => {
  const name = fc.string({ unit: 'binary', maxLength: 64 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), name, (id, text) => {
      expect(beforeId(idCursor(id))).toBe(id)
      expect(afterName(nameCursor(text))).toBe(text)
    }),
  )
  for (const letter of ['a', 'é', '界']) {
    const cursor = nameCursor(letter.repeat(128))
    expect(cursor).toMatch(/^[\w-]{1,512}$/)
    expect(afterName(cursor)).toBe(letter.repeat(128))
  }
  expect([beforeId(undefined), afterName(undefined)]).toEqual([undefined, undefined])
})

it('names a next page only when there is one [ct.1.1.page ct.1.4.absent]', () => {
  const rows = [{ id: 3 }, { id: 2 }]
  expect(pageById(rows, 2)).toEqual({ items: rows })
  expect(pageById([], 2)).toEqual({ items: [] })
  expect(pageById([...rows, { id: 1 }], 2)).toEqual({ items: rows, nextCursor: idCursor(2) })
})
