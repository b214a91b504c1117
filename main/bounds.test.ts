// The window comes back where it was, but never where no screen shows it.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readBounds, writeBounds } from './bounds.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'gantry-bounds-'))
const file = path.join(folder, 'window.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SCREENS = [
  { x: 0, y: 0, width: 1920, height: 1080 },
  { x: 1920, y: -200, width: 1280, height: 1024 },
]
const FIRST = { width: 1280, height: 860 }
const read = (text: string): unknown => {
  writeFileSync(file, text)
  return readBounds(file, SCREENS)
}

describe('the first size stands in for', () => {
  it.each([
    '',
    'null',
    '[]',
    '{"width":1000}',
    '{"width":"1000","height":700}',
    '{"width":1,"height":1}',
    '{"width":1e9,"height":700}',
    '{"width":null,"height":null}',
  ])('%j', (text) => {
    expect(read(text)).toEqual(FIRST)
  })

  it('a missing file', () => {
    expect(readBounds(path.join(folder, 'none'), SCREENS)).toEqual(FIRST)
  })
})

describe('a place', () => {
  it.each([
    ['right of every screen', { x: 4000, y: 100 }],
    ['left of every screen', { x: -1190, y: 100 }],
    ['below the screen', { x: 100, y: 1060 }],
    ['with its title bar above the screen', { x: 100, y: -40 }],
    ['between numbers and words', { x: 100, y: 'top' }],
  ])('is forgotten when it is %s, the size is not', (_where, place) => {
    expect(read(JSON.stringify({ ...place, width: 1200, height: 800 }))).toEqual({ width: 1200, height: 800 })
  })

  it('is kept, on any screen', () => {
    for (const place of [
      { x: 40, y: 60 },
      { x: 2000, y: -150 },
      { x: -1000, y: 0 },
    ]) {
      writeBounds(file, { ...place, width: 1200, height: 800 })
      expect(readBounds(file, SCREENS)).toEqual({ ...place, width: 1200, height: 800 })
    }
  })

  it('can be read by its owner only', () => {
    const fresh = path.join(folder, 'fresh.json')
    writeBounds(fresh, { x: 0, y: 0, width: 1200, height: 800 })
    expect(statSync(fresh).mode & 0o777).toBe(0o600)
  })
})

it('does not keep the application from closing when it cannot be written', () => {
  const before = readFileSync(file)
  expect(() => writeBounds(path.join(folder, 'none', 'window.json'), FIRST)).not.toThrow()
  expect(readFileSync(file)).toEqual(before)
})
