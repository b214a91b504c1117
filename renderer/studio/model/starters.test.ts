import { expect, it } from 'vitest'
import { STARTERS } from '#pcg-catalog'
import { parseClip, pasting } from './clipboard.ts'
import { editorDouble } from './editor.fixture.ts'
import { starterClip } from './starters.ts'

it.each(STARTERS)('the beginning “$name” is nodes of the catalogue whose pins fit', async (starter) => {
  const clip = parseClip(JSON.stringify(starterClip(starter)))
  if (typeof clip === 'string') throw new Error(clip)
  // The double rejects unknown classes and incompatible pins.
  const editor = editorDouble()
  await editor.perform(
    pasting(
      clip,
      editor.view(),
      'Begin',
      { x: 0, y: 0 },
      () => 'id',
      () => undefined,
    ),
  )
  expect(editor.view().edges).toHaveLength(starter.wires.length)
})
