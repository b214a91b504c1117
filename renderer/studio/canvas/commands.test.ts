import { describe, expect, it } from 'vitest'
import { PRESETS } from './choices.ts'
import { COMMANDS, commandOf, keysOf, strokeName } from './commands.ts'
import { BINDABLE, bound, holderOf, unbound } from './own-keys.ts'

const stroke = (given: Partial<KeyboardEvent>) =>
  strokeName({ key: '', code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...given })

const UE = { preset: 'ue', own: {} } as const
const BLENDER = { preset: 'blender', own: {} } as const

describe('the keys of the canvas', () => {
  it.each(PRESETS)('mean one thing each in the preset %s, and leave the shell its own', (preset) => {
    const keys = COMMANDS.flatMap((command) => keysOf(command, { preset, own: {} }))
    expect(new Set(keys).size).toBe(keys.length)
    for (const own of ['?', 'mod+k', '[', 'r', 'g']) expect(keys).not.toContain(own)
  })

  it('have the same names on every keyboard', () => {
    expect(stroke({ key: 'Z', ctrlKey: true, shiftKey: true })).toBe('mod+shift+z')
    expect(stroke({ key: '!', code: 'Digit1', shiftKey: true })).toBe('shift+1')
    expect(stroke({ key: ' ' })).toBe('Space')
    expect(stroke({ key: '?', shiftKey: true })).toBe('?')
  })

  it('follow the chosen preset', () => {
    expect(keysOf(commandOf('focus'), UE)).toEqual(['f'])
    expect(keysOf(commandOf('focus'), BLENDER)).toEqual(['.'])
    expect(keysOf(commandOf('add'), BLENDER)).toContain('shift+a')
    expect(() => commandOf('none of them')).toThrow()
  })
})

describe('custom keys', () => {
  it('replace those of the preset, and are taken from the command that had them', () => {
    const own = bound(UE, 'layout', 'h')
    expect(own).toEqual({ collapse: [], layout: ['h'] })
    if (typeof own === 'string') throw new Error(own)
    for (const preset of PRESETS) expect(keysOf(commandOf('layout'), { preset, own })).toEqual(['h'])
    expect(holderOf({ preset: 'ue', own }, 'l')).toBeUndefined()
    expect(holderOf({ preset: 'ue', own }, 'h')?.id).toBe('layout')
    expect(bound({ preset: 'ue', own }, 'layout', 'h')).toEqual(own)
  })

  it('are never reserved keys of the shell or the browser’s paste', () => {
    for (const stroke of ['?', 'mod+k', '[', 'g', 'r', 'mod+v'])
      expect(bound(UE, 'layout', stroke)).toMatch(/^That key/)
    expect(BINDABLE.map(({ id }) => id)).not.toContain('paste')
  })

  it('reset to the preset, except keys that another command has now', () => {
    const own = { collapse: [], layout: ['h'], fit: ['f2'] }
    expect(unbound({ preset: 'ue', own }, 'collapse')).toEqual(own)
    const back = unbound({ preset: 'ue', own }, 'layout')
    expect(back).toEqual({ collapse: [], fit: ['f2'] })
    expect(unbound({ preset: 'ue', own: back }, 'collapse')).toEqual({ fit: ['f2'] })
  })
})
