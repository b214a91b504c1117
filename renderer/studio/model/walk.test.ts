import { describe, expect, it } from 'vitest'
import { editorDouble } from './editor.fixture.ts'
import { adding, connecting } from './edits.ts'
import { edgeId } from './graph.ts'
import { otherEnds } from './walk.ts'

describe('named reroutes', () => {
  it('navigate between their halves by the hidden edge only', async () => {
    const editor = editorDouble()
    const names: string[] = []
    const classes = ['NamedRerouteDeclaration', 'NamedRerouteUsage', 'NamedRerouteUsage', 'DensityFilter']
    for (const name of classes) {
      const type = `PCG${name}Settings`
      await editor.perform(
        adding(editor.view(), editor.layout(), { type }, { x: 0, y: 0 }, undefined, (made) => names.push(...made)),
      )
    }
    const [declared = '', one = '', two = '', filter = ''] = names
    const wire = (from: string, fromPin: string, to: string, toPin: string) => ({
      id: edgeId(from, fromPin, to, toPin),
      from,
      fromPin,
      to,
      toPin,
    })
    const hidden = [one, two].map((usage) => wire(declared, 'InvisiblePin', usage, 'InvisiblePin'))
    await editor.perform(connecting(editor.view(), editor.layout(), [...hidden, wire(declared, 'Out', filter, 'In')]))
    expect(otherEnds(editor.view(), declared)).toEqual([one, two])
    expect(otherEnds(editor.view(), two)).toEqual([declared])
    expect(otherEnds(editor.view(), filter)).toEqual([])
    expect(otherEnds(editor.view(), 'missing')).toEqual([])
  })
})
