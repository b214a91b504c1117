// My connections: from the link of a refused call over the consent to the provider and back, and what an administrator sees of it.
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome } from '../scenarios/access.fixture.ts'
import { rpc } from '../scenarios/data-plane.fixture.ts'
import {
  aMember,
  BOX_KEY,
  type Member,
  openProvider,
  openResource,
  type Provided,
  registerPeople,
} from '../scenarios/upstream-identity.fixture.ts'
import { shot } from './studio.fixture.ts'
import { hasBrowser, type Person, useGateway, visit, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ALLOW_PRIVATE_IPS: 'true', SECRET_ENCRYPTION_KEY: BOX_KEY, RATE_LIMIT_SSO: '100000' })
const closing: (() => Promise<unknown>)[] = []
let provided: Provided
let ada: Member

/** Of the page that signed in first. */
let cookies: Person['cookies']

/** For who wants to see it. */
async function inEachLook(page: Page, name: string): Promise<void> {
  if (process.env['SHOTS'] === undefined) return
  await shot(page, `${name}-light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await shot(page, `${name}-dark`)
  await page.setViewportSize({ width: 900, height: 800 })
  await shot(page, `${name}-900`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

describe.skipIf(!hasBrowser)(`connections (${where})`, () => {
  beforeAll(async () => {
    provided = await openProvider({}, (close) => closing.push(close))
    const resource = await openResource(provided, {}, (close) => closing.push(close))
    await registerPeople(gateway(), resource.url)
    ada = await aMember(gateway(), 'ada', 'admin')
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  it('leads from the link of a refused call to a call that is made as the person', async () => {
    const headers = { authorization: `Bearer ${ada.key}` }
    const { text } = await rpc(gateway(), 'tools/call', { name: 'me', arguments: {} }, { path: '/mcp/people', headers })
    const [link = ''] = /\/connect\/[\w-]+/.exec(text) ?? []
    provided.state.who = 'ada'
    const page = await visitAs('ada', link, { leadsTo: provided.issuer })
    cookies = await page.context().cookies()
    await page.getByRole('region', { name: 'Connect people' }).getByText(provided.issuer).waitFor()
    await inEachLook(page, 'consent')
    await page.getByRole('button', { name: 'Sign in at the provider' }).click()
    await page.getByRole('status').getByText('people is connected').waitFor()
    await page
      .getByRole('row', { name: /people/ })
      .getByText('Connected')
      .waitFor()
    await inEachLook(page, 'connections')
    expect(await outcome(gateway(), headers, { path: '/mcp/people', name: 'me' })).toBe('ok')
  })

  it('shows an administrator who is connected, and ends a connection', async () => {
    const page = await visitAs('ada', '/admin/backends/people?view=credential')
    await page.getByRole('region', { name: 'Identity' }).getByText('Called as each person').waitFor()
    const people = page.getByRole('region', { name: 'Connections of people' })
    await people.getByText('Connected').waitFor()
    await people.scrollIntoViewIfNeeded()
    await inEachLook(page, 'identity')
    await page.getByRole('region', { name: 'Identity' }).getByRole('button', { name: 'Change…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save identity' }).waitFor()
    await inEachLook(page, 'identity-form')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await people.getByRole('button', { name: 'End the connection of ada' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End connection' }).click()
    await people.getByText('Disconnected').waitFor()
    const headers = { authorization: `Bearer ${ada.key}` }
    expect(await outcome(gateway(), headers, { path: '/mcp/people', name: 'me' })).toBe('oauth_required')
  })

  it('speaks German', async () => {
    const page = await visit('/admin/connections?connect=people', { cookies: cookies ?? [], locale: 'de-DE' })
    await page.getByRole('heading', { name: 'Meine Verbindungen' }).waitFor()
    await page.getByRole('button', { name: 'Beim Anbieter anmelden' }).waitFor()
    await inEachLook(page, 'german')
  })

  it('sets each mode completely: providers that differ, an exchange, an identity provider', async () => {
    const page = await visitAs('ada', '/admin/backends/people?view=credential')
    const form = page.getByRole('dialog')
    const change = async (mode: string, texts: Readonly<Record<string, string>>): Promise<unknown> => {
      await page.getByRole('region', { name: 'Identity' }).getByRole('button', { name: 'Change…' }).click()
      await form.getByRole('combobox', { name: 'Called as' }).click()
      await page.getByRole('option', { name: mode }).click()
      if (mode === 'Each person') {
        await form.getByText('For providers that differ').click()
        await form.getByRole('checkbox', { name: 'Send no resource parameter' }).click()
      }
      for (const [label, text] of Object.entries(texts)) await form.getByLabel(label, { exact: true }).fill(text)
      await inEachLook(page, `identity-${mode}`)
      await form.getByRole('button', { name: 'Save identity' }).click()
      await form.waitFor({ state: 'detached' })
      return (await gateway().admin('/admin-api/clients/people/identity')).json
    }
    const [authorization, token] = [`${provided.issuer}/auth`, `${provided.issuer}/token`]
    expect(
      await change('Each person', {
        Audience: 'people',
        'Authorization endpoint': authorization,
        'Token endpoint': token,
      }),
    ).toMatchObject({
      mode: 'per_principal',
      resource: 'omit',
      audience: 'people',
      endpoints: { authorization, token, revocation: null },
    })
    const client = { 'Token endpoint': token, 'Client id': 'gantry', 'Client secret': 'a secret of the form' }
    expect(await change('Token exchange', { ...client, Resource: 'https://people.test/' })).toMatchObject({
      mode: 'exchange',
      tokenUrl: token,
      clientSecretSet: true,
      resource: 'https://people.test/',
      endpoints: null,
    })
    const there = {
      'Authorization server of the backend': 'https://as.test',
      'Its token endpoint': 'https://as.test/token',
      'Client id there': 'gantry-there',
      'Client secret there': 'a secret of there',
    }
    const jag = {
      mode: 'id_jag',
      issuer: 'https://as.test',
      resourceTokenUrl: 'https://as.test/token',
      resourceClientId: 'gantry-there',
      resourceClientSecretSet: true,
    }
    expect(await change('Identity provider', { ...client, ...there })).toMatchObject(jag)
    // Saved again without a change, it is the same.
    expect(await change('Identity provider', {})).toMatchObject({ ...jag, clientSecretSet: true })
  })
})
