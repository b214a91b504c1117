// What people meet before they are signed in: single sign-on through a real provider, and the page of an install link.
import { describe, expect, it } from 'vitest'
import { InstallView } from '#contract'
import { CLIENT, realProvider } from '../../gateway/auth/openid.fixture.ts'
import { hasBrowser, heading, soon, useGateway, visit, where } from './ui.fixture.ts'

const gateway = useGateway({
  ALLOW_PRIVATE_IPS: 'true',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64'),
})

describe.skipIf(!hasBrowser)(`single sign-on (${where})`, () => {
  it('is offered where it is set up, leads there and back, and says why it failed', async () => {
    const plain = await visit('/admin/login')
    await heading(plain, 'Sign in to Gantry').waitFor()
    expect(await plain.getByRole('link', { name: 'Continue with single sign-on' }).count()).toBe(0)
    const { issuer, state } = await realProvider(`${gateway().url}/admin-api/auth/oidc/callback`)
    const body = { enabled: true, issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, defaultRole: 'auditor' }
    expect((await gateway().admin('/admin-api/auth/oidc/settings', { method: 'PUT', body })).status).toBe(200)
    state.who = { sub: 'u-1', preferred_username: 'grace' }
    const page = await visit('/admin/login?next=/audit-log', { leadsTo: issuer })
    state.deny = true
    await page.getByRole('link', { name: 'Continue with single sign-on' }).click()
    await page.getByRole('alert').filter({ hasText: 'The identity provider refused the sign-in.' }).waitFor()
    state.deny = false
    await page.getByRole('link', { name: 'Continue with single sign-on' }).click()
    await page.getByRole('button', { name: 'Signed in as grace' }).waitFor()
    expect(new URL(page.url()).origin).toBe(gateway().url)
  })
})

describe.skipIf(!hasBrowser)(`the page of an install link (${where})`, () => {
  it('copies what to paste, runs nothing but itself and fetches nothing [ct.7.5.html]', async () => {
    const post = (path: string, body: unknown) => gateway().admin(path, { method: 'POST', body })
    const tools = [{ name: 'echo', method: 'GET', endpoint: '/x', description: '<script>alert(1)</script>' }]
    expect((await post('/register', { name: 'parrot', base_url: 'http://127.0.0.1:8123', tools })).status).toBe(200)
    await post('/admin-api/bundles', { name: 'dev', tools: [{ client: 'parrot', tool: 'echo' }] })
    const { token } = (await post('/admin-api/bundles/dev/install-links', {})).json as { token: string }
    const { connect } = InstallView.parse((await gateway().ask(`/install/${token}`)).json)
    const page = await visit(`/install/${token}`)
    await heading(page, 'dev').waitFor()
    await page.getByText('<script>alert(1)</script>').waitFor()
    const section = page.locator('details').filter({ hasText: 'Any other client' })
    await section.locator('summary').click()
    await section.getByRole('button', { name: 'Copy' }).click()
    await section.getByRole('button', { name: 'Copied' }).waitFor()
    await soon(() => page.evaluate(() => navigator.clipboard.readText())).toBe(connect.snippet)
    const styled = await page.evaluate(() => getComputedStyle(document.querySelector('main') ?? document.body).maxWidth)
    expect(styled).toBe('760px')
  })
})
