// The table of pages: nothing in it collides, and every row leads to a page.
import { describe, expect, it } from 'vitest'
import { type Actor, mayUse } from '#contract'
import { INNER_PAGES, PAGES, SECTIONS } from './pages.ts'
import { ACCOUNT, entriesOf } from './shell/nav-groups.ts'

const session: Actor = { name: 'a', kind: 'session', role: 'viewer', teamId: null }

describe('the table of pages', () => {
  it('has no two pages with one path, title or go-to key', () => {
    for (const column of ['path', 'title', 'goTo'] as const) {
      const values = PAGES.map((page) => page[column])
      expect(new Set(values).size, column).toBe(values.length)
    }
  })

  it('keeps clear of the sign-in, and of g as a second key', () => {
    expect(PAGES.map((page) => page.path)).not.toContain('/login')
    for (const { goTo } of PAGES) expect(goTo).toMatch(/^[a-fh-z0-9]$/)
  })

  it('lists its rows in the order of the sections', () => {
    const order = PAGES.map((page) => SECTIONS.indexOf(page.section))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('has at most 12 entries in the sidebar beside the account, each in one section', () => {
    const entries = entriesOf(PAGES).filter(({ group }) => group !== ACCOUNT)
    expect(entries.length).toBeLessThanOrEqual(12)
    for (const { section, pages } of entries) expect(pages.every((page) => page.section === section)).toBe(true)
  })

  it('names an entry by its only permitted page', () => {
    const titles = entriesOf(PAGES.filter((page) => mayUse(session, page.access))).map(({ title }) => title)
    expect(titles).toContain('Audit log')
    expect(titles).not.toContain('Settings')
  })

  it('gives every inner page a place', () => {
    for (const { of } of INNER_PAGES) expect(PAGES.map(({ path }) => path)).toContain(of)
  })

  it.each([...PAGES, ...INNER_PAGES])('loads $path', async ({ load }) => {
    expect((await load()).Page).toBeTypeOf('function')
  })

  it('shows a viewer no page of the administrators, and the desktop no password', () => {
    const seen = (actor: Actor) => PAGES.filter((page) => mayUse(actor, page.access)).map((page) => page.path)
    expect(seen(session)).toEqual([
      '/',
      '/approvals',
      '/alerts',
      '/monitors',
      '/schedules',
      '/backends',
      '/websockets',
      '/tools',
      '/policies',
      '/bundles',
      '/composites',
      '/connect',
      '/keys',
      '/consumers',
      '/budgets',
      '/teams',
      '/audit-log',
      '/account',
      '/connections',
    ])
    expect(seen({ ...session, kind: 'desktop', role: 'admin' })).toEqual([
      '/',
      '/calls',
      '/traces',
      '/mcp-sessions',
      '/context',
      '/approvals',
      '/alerts',
      '/monitors',
      '/schedules',
      '/backends',
      '/websockets',
      '/server-catalog',
      '/tools',
      '/policies',
      '/bundles',
      '/composites',
      '/pcg',
      '/connect',
      '/keys',
      '/consumers',
      '/budgets',
      '/users',
      '/teams',
      '/single-sign-on',
      '/settings',
      '/audit-log',
      '/instances',
      '/export',
    ])
    expect(seen({ ...session, role: 'admin', teamId: 1 })).not.toContain('/users')
  })
})
