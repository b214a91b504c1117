// The table of pages: nothing in it collides, and every row leads to a page.
import { describe, expect, it } from 'vitest'
import { type Actor, mayUse } from '#contract'
import { INNER_PAGES, PAGES, SECTIONS } from './pages.ts'

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
      '/backends',
      '/tools',
      '/websockets',
      '/approvals',
      '/schedules',
      '/bundles',
      '/composites',
      '/connect',
      '/keys',
      '/consumers',
      '/policies',
      '/teams',
      '/monitors',
      '/alerts',
      '/audit-log',
      '/account',
    ])
    expect(seen({ ...session, kind: 'desktop', role: 'admin' })).toEqual([
      '/',
      '/backends',
      '/tools',
      '/websockets',
      '/approvals',
      '/schedules',
      '/bundles',
      '/composites',
      '/pcg',
      '/connect',
      '/keys',
      '/consumers',
      '/policies',
      '/teams',
      '/users',
      '/single-sign-on',
      '/calls',
      '/traces',
      '/mcp-sessions',
      '/monitors',
      '/alerts',
      '/audit-log',
      '/settings',
      '/export',
    ])
    expect(seen({ ...session, role: 'admin', teamId: 1 })).not.toContain('/users')
  })
})
