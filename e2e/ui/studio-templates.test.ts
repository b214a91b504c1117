// The library in the studio: found, inserted as one step that can be undone, and what is inserted generates.
import { describe, it } from 'vitest'
import { CANVAS_ENV, canvas, opened, PATIENCE_MS, useGraphs } from './canvas.fixture.ts'
import { hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, classesOf } = useGraphs(gateway)
const inner = async (path: string) => (await classesOf(path)).length

describe.skipIf(!hasBrowser)(`templates in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('finds a template by word and by tag, inserts it beside what is there, and undoes it as one step', async () => {
    const { path } = await aGraph('Templates', { merge: ['Merge', 0, 0] })
    const page = await opened(path)
    await page.getByRole('button', { name: 'Save and share' }).click()
    await page.getByRole('menuitem', { name: 'Templates…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Templates' })
    const cards = dialog.getByRole('list', { name: 'Templates' }).getByRole('listitem')
    await soon(() => cards.count()).toBe(12)
    await dialog.getByRole('combobox', { name: 'Tag' }).click()
    await page.getByRole('option', { name: 'rocks' }).click()
    await soon(() => cards.count()).toBe(2)
    await dialog.getByRole('combobox', { name: 'Tag' }).click()
    await page.getByRole('option', { name: 'All tags' }).click()
    await dialog.getByRole('searchbox', { name: 'Search templates' }).fill('crop plants')
    await soon(() => cards.count()).toBe(1)
    await dialog.getByRole('img', { name: 'Crop field from above' }).waitFor()
    await dialog.getByRole('button', { name: 'Insert Crop field' }).click()
    await dialog.waitFor({ state: 'hidden' })
    // Seven nodes and one that reads the parameter.
    await soon(() => inner(path)).toBe(1 + 8)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => inner(path)).toBe(1)
  })
})
