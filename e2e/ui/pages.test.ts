// The pages at work: the overview follows the gateway, settings tell, the account changes, keys and palette lead anywhere.
import { describe, expect, it } from 'vitest'
import { addUser, aGateway, passwordOf, signIn } from '../scenarios/gateway.fixture.ts'
import {
  barriers,
  fillSignIn,
  frames,
  hasBrowser,
  heading,
  intercept,
  nav,
  openPage,
  soon,
  strokes,
  useGateway,
  visit,
  visitAs,
  visitAsNew,
  where,
} from './ui.fixture.ts'

const INSTANCE = 'production-eu-central-1-gateway-0.gantry.example'
const gateway = useGateway({ INSTANCE_ID: INSTANCE })

describe.skipIf(!hasBrowser)(`the application (${where})`, () => {
  it('is one page for every address below /admin, for every visitor, and signs in by itself [gw.service.surface-admin-ui gw.ops.admin ct.3.admin]', async () => {
    for (const path of ['/admin', '/admin/backends', '/admin/tools/a/b']) {
      const answer = await gateway().ask(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
    }
    await heading(await visit('/admin/bundles'), 'Sign in to Gantry').waitFor()
  })

  it('is not served where it is switched off [ct.17.effect.ui_enabled]', async () => {
    const plain = await aGateway({ UI_ENABLED: 'false' })
    expect((await plain.ask('/admin')).status).toBe(404)
    expect((await plain.ask('/health')).status).toBe(200)
  })
})

describe.skipIf(!hasBrowser)(`the overview and the live line (${where})`, () => {
  it('follows the gateway without being asked', async () => {
    const page = await visitAs('admin')
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    const count = page.getByRole('region', { name: 'Keys' }).locator('dt', { hasText: 'Admin users' }).locator('+ dd')
    const before = Number(await count.textContent())
    await addUser(gateway(), 'newcomer', 'viewer')
    await soon(async () => Number(await count.textContent())).toBe(before + 1)
  })

  it('asks again, once the line is back, for what happened while it was cut', async () => {
    const page = await visitAs('admin', '/admin/users')
    let line: 'short' | 'cut' | 'whole' = 'short'
    const recovered = Promise.withResolvers<void>()
    await intercept(page, '**/admin-api/events', (route) =>
      line === 'whole'
        ? route.continue()
        : line === 'cut'
          ? recovered.promise.then(() => route.continue())
          : // Let in, and cut right after.
            route.fulfill({ contentType: 'text/event-stream', body: 'event: ready\ndata: {}\n\n' }),
    )
    await page.reload()
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    line = 'cut'
    const rows = page.getByRole('table', { name: 'Users' }).getByRole('row')
    await rows.filter({ hasText: 'admin' }).first().waitFor()
    await addUser(gateway(), 'missed', 'viewer')
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    expect(await rows.filter({ hasText: 'missed' }).count()).toBe(0)
    line = 'whole'
    recovered.resolve()
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await rows.filter({ hasText: 'missed' }).waitFor()
  })

  it('asks for each list once if its event stream opens first, and again if the stream is late', async () => {
    const page = await visitAs('admin', '/admin/users')
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') asked.push(new URL(request.url()).pathname)
    })
    const live = page.getByRole('status').filter({ hasText: 'Live' })
    const opened = page.waitForResponse('**/admin-api/events')
    await intercept(page, '**/admin-api/auth/me', (route) => opened.then(() => route.continue()))
    await page.reload()
    await live.waitFor()
    await frames(page)
    expect(asked).toContain('/admin-api/users')
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())

    const late = Promise.withResolvers<void>()
    await intercept(page, '**/admin-api/events', (route) => late.promise.then(() => route.continue()))
    await page.reload()
    const rows = page.getByRole('table', { name: 'Users' }).getByRole('row')
    await rows.filter({ hasText: 'admin' }).first().waitFor()
    await addUser(gateway(), 'latecomer', 'viewer')
    late.resolve()
    await live.waitFor()
    await rows.filter({ hasText: 'latecomer' }).waitFor()
  })

  it('leads from a finding to what to do about it', async () => {
    const page = await visitAs('admin')
    await page.getByRole('region', { name: 'Security posture' }).waitFor()
    await page.getByText(INSTANCE).waitFor()
    await page.getByRole('link', { name: 'See what to do' }).click()
    await page.getByRole('tab', { name: 'Security posture', selected: true }).waitFor()
    await page
      .getByRole('listitem')
      .filter({ has: page.locator('code') })
      .first()
      .waitFor()
  })
})

describe.skipIf(!hasBrowser)(`settings (${where})`, () => {
  it('are not open to those who may not see them', async () => {
    const page = await visitAsNew('onlooker', 'viewer', '/admin/settings')
    await heading(page, 'Settings is not open to you').waitFor()
    expect(await nav(page, 'Settings').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Users', exact: true }).count()).toBe(0)
  })

  it('tell what differs from its default, and never a secret', async () => {
    const page = await visitAs('admin', '/admin/settings')
    await heading(page, 'Settings').waitFor()
    await page.getByLabel('Find a setting').fill('admin api keys')
    const row = page.getByRole('row').filter({ hasText: 'ADMIN_API_KEYS' })
    await row.getByText('Secret is set').waitFor()
    expect(await page.locator('body').textContent()).not.toContain('admin-key-of-the-scenarios')
    await page.getByLabel('Find a setting').fill('')
    await page.getByRole('button', { name: /^Set here:/ }).click()
    await page.getByRole('row').filter({ hasText: 'REQUIRE_MCP_AUTH' }).getByText('Environment').waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'CIRCUIT_BREAKER_WINDOW_MS' }).count()).toBe(0)
  })
})

describe.skipIf(!hasBrowser)(`the account (${where})`, () => {
  it('refuses a wrong current password, and a new one that is the old one', async () => {
    const page = await visitAsNew('careless', 'viewer', '/admin/account')
    await page.getByLabel('Current password').fill('not the password')
    await page.getByRole('textbox', { name: 'New password' }).fill('another one never guessed')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('region', { name: 'Password' }).getByRole('alert').first().waitFor()
    await page.getByLabel('Current password').fill(passwordOf('careless'))
    await page.getByRole('textbox', { name: 'New password' }).fill(passwordOf('careless'))
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('alert').filter({ hasText: 'WEAK_PASSWORD' }).waitFor()
  })

  it('changes the password: the old one is refused, other sessions end, this one goes on', async () => {
    const page = await visitAsNew('changer', 'viewer', '/admin/account')
    const other = await signIn(gateway(), 'changer', passwordOf('changer'))
    await page.getByLabel('Current password').fill(passwordOf('changer'))
    await page.getByRole('textbox', { name: 'New password' }).fill('a better one, never guessed')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password was changed').waitFor()
    expect((await gateway().ask('/admin-api/auth/me', { headers: other })).status).toBe(401)
    await page.reload()
    await heading(page, 'Account').waitFor()
    const again = await visit('/admin')
    await fillSignIn(again, 'changer', passwordOf('changer'))
    await again.getByRole('alert').waitFor()
    await fillSignIn(again, 'changer', 'a better one, never guessed')
    await heading(again, 'Overview').waitFor()
  })

  it('shows where one is signed in, hostile names as text, and ends it there', async () => {
    const hostile = 'Evil/1.0 <img src=x onerror=alert(1)> "onmouseover=alert(2)'
    await addUser(gateway(), 'travelling', 'viewer')
    const away = await visitAs('travelling', '/admin', { userAgent: hostile })
    const page = await visitAs('travelling', '/admin/account')
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('row')
    await page.getByText('This session').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator(`[title*="onerror"]`).count()).toBe(1)
    const before = await rows.count()
    await page.getByRole('button', { name: /^End the session/ }).click()
    await page.getByText('The session was ended').waitFor()
    await soon(() => rows.count()).toBe(before - 1)
    await away.getByRole('alertdialog', { name: 'Your session ended' }).waitFor()
  })
})

describe.skipIf(!hasBrowser)(`the shell (${where})`, () => {
  it('goes to each page by its keys, but not while one writes', async () => {
    const page = await visitAs('admin')
    for (const [key, name] of [
      ['u', 'Users'],
      ['a', 'Audit log'],
      ['s', 'Settings'],
      ['p', 'Account'],
      ['o', 'Overview'],
    ] as const) {
      await strokes(page, 'g', key)
      await heading(page, name).waitFor()
    }
    await openPage(page, 'Users')
    await page.getByLabel('Find a user').click()
    await page.keyboard.type('ga')
    expect(await page.getByLabel('Find a user').inputValue()).toBe('ga')
    await heading(page, 'Users').waitFor()
  })

  it('searches, adds and moves in a list by one key', async () => {
    const page = await visitAs('admin', '/admin/users')
    const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr[data-index]')
    await rows.first().waitFor()
    const focused = (index: number) => rows.nth(index).evaluate((row) => row === document.activeElement)
    await page.keyboard.press('j')
    await soon(() => focused(0)).toBe(true)
    await page.keyboard.press('j')
    await soon(() => focused(1)).toBe(true)
    await page.keyboard.press('k')
    await soon(() => focused(0)).toBe(true)
    await page.keyboard.press('/')
    await soon(() => page.getByLabel('Find a user').evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type('nj')
    expect(await page.getByLabel('Find a user').inputValue()).toBe('nj')
    await page.getByLabel('Find a user').fill('')
    await page.getByRole('main').focus()
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'New user' }).waitFor()
  })

  it('says what each setting does, and finds it by that', async () => {
    const page = await visitAs('admin', '/admin/settings')
    await page.getByLabel('Find a setting').fill('least level that is written')
    await page.getByRole('row').filter({ hasText: 'LOG_LEVEL' }).getByText('The least level that is written.').waitFor()
  })

  it('keeps the theme, contrast and density of this person over a reload', async () => {
    const page = await visitAs('admin')
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'High contrast' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact' }).click()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.locator('html[data-theme=dark][data-contrast=more][data-density=compact]').waitFor()
    await page.getByRole('region', { name: 'Keys' }).waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it.each(['reduce', 'no-preference'] as const)(
    'follows the system from light to dark on an open page, all of it at once, with motion: %s',
    async (reducedMotion) => {
      const page = await visitAs('admin', '/admin/settings')
      await page.emulateMedia({ reducedMotion })
      // The head shows the line in colours, too.
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
      await page.getByRole('row').filter({ hasText: 'REQUIRE_MCP_AUTH' }).waitFor()
      await page.emulateMedia({ reducedMotion, colorScheme: 'dark' })
      const { first, last } = await page.evaluate(async () => {
        const frame = () => new Promise(requestAnimationFrame)
        const elements = [...document.querySelectorAll('*')]
        const colours = () =>
          elements.map((element) => {
            const { color, backgroundColor, borderTopColor, fill } = getComputedStyle(element)
            return `${element.tagName}: ${color} ${backgroundColor} ${borderTopColor} ${fill}`
          })
        await frame()
        const first = colours()
        await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
        for (let settling = 0; settling < 20; settling += 1) await frame()
        const last = colours()
        // An element that was replaced since, such as a relative time, has no colour any more.
        const there = (_colour: string, at: number) => elements[at]?.isConnected
        return { first: first.filter(there), last: last.filter(there) }
      })
      expect(first).toEqual(last)
      expect(await page.evaluate(() => getComputedStyle(document.body).color)).toMatch(/^oklch\(0\.9/)
    },
  )

  it('reports an unknown page, hostile addresses as text', async () => {
    const page = await visitAs('admin', '/admin/%3Cimg%20src=x%20onerror=alert(1)%3E')
    await heading(page, 'Page not found').waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await heading(page, 'Overview').waitFor()
    expect(await page.locator('img').count()).toBe(0)
  })
})
