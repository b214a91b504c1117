// The server catalogue in a browser: it is asked when a person searches, shows each entry, and adds nothing.
import { afterAll, describe, expect, it } from 'vitest'
import { startGateway } from '../scenarios/gateway.fixture.ts'
import { aServerRegistry, NOTES } from '../scenarios/server-registry.fixture.ts'
import { barriers, hasBrowser, useGateway, visitAs, where } from './ui.fixture.ts'

let registry: Awaited<ReturnType<typeof aServerRegistry>>
useGateway({}, async (env) => {
  registry = await aServerRegistry([NOTES])
  return startGateway({ ...env, SERVER_CATALOG_URL: registry.url, NPM_REGISTRY_URL: registry.url })
})
afterAll(() => registry.close())

describe.skipIf(!hasBrowser)(`the server catalog (${where})`, () => {
  it('asks the registry at a search, and shows the command, which a browser cannot run', async () => {
    const page = await visitAs('admin', '/admin/server-catalog')
    await page.getByRole('button', { name: 'Show all servers' }).waitFor()
    expect(registry.asked).toEqual([])
    await page.getByRole('searchbox', { name: 'Find a server' }).fill('notes')
    await page.getByRole('row').getByText(NOTES.name).click()
    const sheet = page.getByRole('dialog', { name: NOTES.name })
    await sheet.getByText('Has one; it is not run').waitFor()
    await sheet.getByText('NOTES_TOKEN (required, secret), NOTES_LANG').waitFor()
    await sheet.getByText('npx -y notes-server@1.2.0 --level high').waitFor()
    await sheet.getByText(`gantry servers add notes-server --catalog ${NOTES.name}`).waitFor()
    expect(await sheet.getByRole('button', { name: 'Add to this computer…' }).count()).toBe(0)
    expect(await barriers(page)).toEqual([])

    // The same page in the desktop window, whose main process asks the person for each start.
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.evaluate(() => {
      const tools = [
        { name: 'notes_search', description: 'Finds notes by their words' },
        { name: 'notes_write', description: '' },
      ]
      const answers: unknown[] = [
        { answer: 'declined' },
        { answer: 'fault', message: 'bubblewrap (bwrap) must be installed' },
        { answer: 'listed', tools },
      ]
      const listServerTools = async (): Promise<unknown> => answers.shift()
      Object.assign(window, { desktop: { adminRequest: () => undefined, listServerTools } })
    })
    await page.getByRole('row').getByText(NOTES.name).click()
    const list = sheet.getByRole('button', { name: 'List its tools…' })
    await list.click()
    await sheet.getByRole('button', { name: 'Add to this computer…' }).waitFor()
    await list.click()
    await sheet.getByText('bubblewrap (bwrap) must be installed').waitFor()
    await list.click()
    await sheet.getByText('Finds notes by their words').waitFor()
    expect(await list.count()).toBe(0)
    expect(await barriers(page)).toEqual([])
  })
})
