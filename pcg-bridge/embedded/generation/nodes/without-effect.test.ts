// No setting is taken in silence: the engine reads it, warns of it, or it changes no data.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeType } from '../../../editor/settings.ts'
import { numbersAt, report } from '../semantics.fixture.ts'
import { EXECUTE } from './index.ts'
import { IMMATERIAL_SETTINGS, WITHOUT_EFFECT } from './without-effect.ts'

const folders = ['./', '../', '../../', '../../../editor/'].map((folder) => new URL(folder, import.meta.url))
const sources = folders
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$|^without-effect/.test(name))
      .map((name) => readFileSync(new URL(name, folder), 'utf8')),
  )
  .join('\n')
const warningsOf = (settings: Record<string, unknown>): string =>
  report(
    { P: numbersAt(1), N: ['PCGWorldRaycastElementSettings', settings] },
    ['P.Out > N.Origins'],
    'N',
  ).warnings?.join() ?? ''
/** `InputSource2` is read as `InputSource${index}`, `OffsetMin` as `${name}Min`. */
const READ = /^(InputSource\d|(Offset|Rotation|Scale)(Min|Max)|bAbsolute(Offset|Rotation|Scale))$/
const isRead = (name: string): boolean => READ.test(name) || new RegExp(`['"\`.]${name}\\b`).test(sources)

describe('settings', () => {
  it.each(Object.keys(EXECUTE))('%s: each is read, or named as one without effect', (name) => {
    const silent = Object.keys(nodeType(name)?.properties ?? {}).filter(
      (setting) => !isRead(setting) && !IMMATERIAL_SETTINGS.has(setting) && !WITHOUT_EFFECT[name]?.has(setting),
    )
    expect(silent).toEqual([])
  })

  it('of the table are settings of classes that execute', () => {
    for (const [name, settings] of Object.entries(WITHOUT_EFFECT)) {
      expect(EXECUTE).toHaveProperty(name)
      for (const setting of settings) expect(nodeType(name)?.properties).toHaveProperty(setting)
    }
  })

  it('without effect are named on the node that sets them, its default is not', () => {
    expect(warningsOf({ OriginInputAttribute: 'Start' })).toContain(
      'OriginInputAttribute has no effect in the built-in editor',
    )
    expect(warningsOf({ OriginInputAttribute: '@Last' })).not.toContain('no effect')
    expect(warningsOf({})).not.toContain('no effect')
  })
})
