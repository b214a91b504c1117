// Items of a document that are left out of its import.
import { describe, expect, it } from 'vitest'
import { ConfigDoc } from './config-document.ts'
import { itemOf, withoutItems } from './config-selection.ts'

const doc = (more: object): ConfigDoc => ConfigDoc.parse({ version: 1, ...more })

const PRESENT = doc({
  bundles: [{ name: 'a', description: 'now' }, { name: 'gone' }],
  clients: [
    {
      name: 'pets',
      tools: [
        { name: 'list', enabled: false },
        { name: 'rest', enabled: false },
      ],
    },
  ],
})
const WANTED = doc({
  bundles: [{ name: 'a', description: 'then' }, { name: 'b' }],
  clients: [{ name: 'pets', tools: [{ name: 'list', enabled: true }, { name: 'get' }] }],
})

it.each([
  ['/bundles/a/description', '/bundles/a'],
  ['/bundles/a', '/bundles/a'],
  ['/clients/pets/baseUrl', '/clients/pets'],
  ['/clients/pets/tools/list/guards', '/clients/pets/tools/list'],
  ['/schedules/pets disable 0 22 * * 1-5 Europe~1Berlin', '/schedules/pets disable 0 22 * * 1-5 Europe~1Berlin'],
])('%s belongs to %s', (path, item) => {
  expect(itemOf(path)).toBe(item)
})

describe('an import without some items', () => {
  it('does not name them where it adds and changes', () => {
    const { bundles, clients } = withoutItems(WANTED, PRESENT, ['/bundles/a', '/clients/pets/tools/list'], 'merge')
    expect(bundles).toEqual([{ name: 'b' }])
    expect(clients).toEqual([{ name: 'pets', tools: [{ name: 'get' }] }])
    expect(withoutItems(WANTED, PRESENT, ['/clients/pets'], 'merge').clients).toEqual([])
  })

  it('names them as they are where it replaces', () => {
    const left = ['/bundles/a', '/bundles/b', '/bundles/gone', '/clients/pets/tools/list', '/clients/pets/tools/rest']
    const { bundles, clients } = withoutItems(WANTED, PRESENT, left, 'replace')
    expect(bundles).toEqual(PRESENT.bundles)
    expect(clients?.[0]?.tools).toEqual([{ name: 'get' }, ...(PRESENT.clients?.[0]?.tools ?? [])])
  })

  it('does not name sections that the document does not', () => {
    expect(withoutItems(doc({}), PRESENT, ['/bundles/a'], 'replace').bundles).toBeUndefined()
  })
})
