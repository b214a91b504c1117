// The interface in German: chosen by the browser, switched by hand, and without an English text left.
import { globSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Catalogue } from '#language'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { PAGES } from '../../renderer/pages.ts'
import { addUser } from '../scenarios/gateway.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { hasBrowser, heading, soon, turnTo, useGateway, visit, visitAs, where } from './ui.fixture.ts'

const textsOf = (file: string): readonly (readonly [string, string])[] =>
  // `tools/texts.ts` proves that each is a catalogue.
  Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Catalogue).flatMap(([text, german]) =>
    typeof german === 'string' ? [[text, german] as const] : [],
  )
const GERMAN = new Map(globSync('renderer/**/de.json').flatMap(textsOf))
const inGerman = (text: string): string => GERMAN.get(text) ?? text
/** English texts that German writes differently, but for the shortest, which data may be too. */
const ENGLISH = [...GERMAN].flatMap(([text, german]) => (text !== german && text.length > 3 ? [text.trim()] : []))
/** Values and names that are also a word of the interface: a user, a role in a setting, a product, the class of a node. */
const DATA = ['admin', 'viewer', 'Continue', 'Input', 'Output', 'Data', 'Points', 'Error', 'Method']

const gateway = useGateway({
  ...NEAR,
  REQUIRE_MCP_AUTH: 'false',
  PCG_ENABLED: 'true',
  TRACE_STORAGE: 'true',
})
let upstream: UpstreamServer
if (hasBrowser)
  beforeAll(async () => {
    upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
    const tool = { name: 'suche', method: 'GET', endpoint: '/suche', description: 'Sucht Haustiere nach Namen und Art' }
    await registered(gateway(), { name: 'zoo', base_url: upstream.url, tools: [tool] })
    await rpc(gateway(), 'zoo', 'tools/call', { name: 'suche', arguments: {} })
    await gateway().admin('/admin-api/bundles', {
      method: 'POST',
      body: { name: 'tiere', tools: [{ client: 'zoo', tool: 'suche' }] },
    })
    await addUser(gateway(), 'heidi', 'viewer')
    return () => upstream.close()
  })

async function inGermany(path: string): Promise<Page> {
  const english = await visitAs('admin')
  return visit(path, { cookies: await english.context().cookies(), locale: 'de-DE' })
}

/** What the page shows and reads out that is the English text of something. */
async function leftIn(page: Page): Promise<readonly string[]> {
  const shown = await page.evaluate(() => {
    const texts: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest('code, pre, script, style')) texts.push(node.textContent ?? '')
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) texts.push(element.getAttribute(name) ?? '')
    return texts.map((text) => text.trim())
  })
  return shown.filter((text) => ENGLISH.includes(text) && !DATA.includes(text))
}

/** A way through all pages takes its time on a busy machine. */
const PATIENCE_MS = 240_000

describe.skipIf(!hasBrowser)(`German (${where})`, { timeout: PATIENCE_MS }, () => {
  it('is the language of a German browser, on every page', async () => {
    const page = await inGermany('/admin')
    await heading(page, 'Übersicht').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    for (const { path, title } of PAGES) {
      await turnTo(page, `/admin${path}`)
      await heading(page, inGerman(title)).first().waitFor({ state: 'attached' })
      await soon(() => page.getByRole('status', { name: 'Wird geladen' }).count()).toBe(0)
      expect(await leftIn(page), path).toEqual([])
    }
  })

  it('is in a record, a dialog and a menu, with numbers as German writes them', async () => {
    const page = await inGermany('/admin/tools/zoo/suche?view=limits')
    await page.getByRole('tab', { name: 'Limits', selected: true }).waitFor()
    await page.getByLabel('Aufrufe pro Minute').waitFor()
    expect(await leftIn(page)).toEqual([])
    await page.getByRole('tab', { name: 'Funktionen' }).click()
    await page.getByRole('heading', { name: 'Umformung' }).or(page.getByText('Umformung')).first().waitFor()
    expect(await leftIn(page)).toEqual([])
    await turnTo(page, '/admin/keys')
    await page.getByRole('button', { name: 'Neuer Schlüssel' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Bezeichnung').waitFor()
    expect(await leftIn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await turnTo(page, '/admin/policies')
    await page.getByRole('button', { name: 'Richtlinie anlegen' }).first().click()
    await page.getByRole('dialog').getByText('Höchstens 600.000: zehn Minuten.').waitFor()
  })

  it('is switched in the account menu and on the sign-in page, is remembered, and keeps a draft', async () => {
    const page = await visitAs('admin', '/admin/keys')
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByRole('dialog').getByLabel('Label').fill('Entwurf eines Schlüssels')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Signed in as admin' }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await heading(page, 'Schlüssel').waitFor()
    await page.getByRole('button', { name: 'Neuer Schlüssel' }).first().click()
    await soon(() => page.getByRole('dialog').getByLabel('Bezeichnung').inputValue()).toBe('Entwurf eines Schlüssels')
    await page.reload()
    await heading(page, 'Schlüssel').waitFor()
    await page.context().clearCookies()
    await page.goto('/admin/login')
    await heading(page, 'Bei Gantry anmelden').waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    await heading(page, 'Sign in to Gantry').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })

  it('is not loaded by an English browser', async () => {
    const page = await visit('/admin/login')
    await heading(page, 'Sign in to Gantry').waitFor()
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    expect(loaded.filter((name) => name.includes('/german'))).toEqual([])
  })
})
