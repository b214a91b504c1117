// Every page in each look that a person may have: for judging, not for the documentation.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright'
import { INNER_PAGES, PAGES } from '../renderer/pages.ts'
import { TRACE_ID } from './screenshots-records.ts'

const WIDE = { width: 1440, height: 900 }
const LOOKS = [
  { look: 'light', viewport: WIDE, media: { colorScheme: 'light', contrast: 'no-preference' } },
  { look: 'dark', viewport: WIDE, media: { colorScheme: 'dark', contrast: 'no-preference' } },
  { look: 'contrast', viewport: WIDE, media: { colorScheme: 'light', contrast: 'more' } },
  { look: '900', viewport: { width: 900, height: 900 }, media: { colorScheme: 'light', contrast: 'no-preference' } },
  // What a zoom of 200 % leaves of the wide window.
  { look: '200', viewport: { width: 720, height: 450 }, media: { colorScheme: 'light', contrast: 'no-preference' } },
] as const

/** The record that stands for each page of one record. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  '/approvals/$id': ['/approvals/1'],
  '/traces/$traceId': [`/traces/${TRACE_ID}`],
  '/add-composite': ['/add-composite'],
  '/composites/$name': ['/composites/find-and-report'],
  '/keys/$id': ['/keys/1'],
  '/consumers/$id': ['/consumers/1'],
  '/budgets/$id': ['/budgets/1'],
  '/policies/$id': ['/policies/1'],
  '/teams/$id': ['/teams/1'],
  '/bundles/$name': ['/bundles/level-design', '/bundles/level-design?view=links'],
  '/add-backend': ['/add-backend'],
  '/backends/$name': ['/backends/asset-library', '/backends/asset-library?view=performance'],
  '/tools/$client/$tool': [
    '/tools/asset-library/searchAssets',
    '/tools/asset-library/searchAssets?view=limits',
    '/tools/asset-library/searchAssets?view=features',
    '/tools/asset-library/searchAssets?view=run',
  ],
}

export function addresses(): readonly string[] {
  const inner = INNER_PAGES.map(({ path: at }) => {
    const found = RECORDS[at]
    if (!found) throw new Error(`RECORDS has no row for ${at}`)
    return found
  })
  return [...PAGES.map(({ path: at }) => at), ...inner.flat()]
}

const fileOf = (at: string): string =>
  at
    .slice(1)
    .replace(TRACE_ID, 'one')
    .replaceAll(/[^\w-]+/g, '-') || 'overview'

/** What sticks out sideways: the page itself, its header, its tabs, or a list that is narrower than its columns. */
export const overflow = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const wider = (element: Element): number => element.scrollWidth - element.clientWidth
    const lists = [...document.querySelectorAll('table')].flatMap((table) => {
      const by = table.parentElement ? wider(table.parentElement) : 0
      return by > 1 ? [`list "${table.getAttribute('aria-label')}" by ${by} px`] : []
    })
    const rest = [document.documentElement, ...document.querySelectorAll('#main, header, [role=tablist], search')]
    return [
      ...rest.flatMap((each) => (wider(each) > 1 ? [`${each.tagName} ${each.id} by ${wider(each)} px`] : [])),
      ...lists,
    ]
  })

export async function everyPage(page: Page, out: string): Promise<void> {
  for (const { look } of LOOKS) mkdirSync(path.join(out, look), { recursive: true })
  for (const at of addresses()) {
    await page.setViewportSize(WIDE)
    await page.goto(`/admin${at}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await page.evaluate(() => document.fonts.ready)
    await page.waitForTimeout(300)
    for (const { look, viewport, media } of LOOKS) {
      await page.setViewportSize(viewport)
      await page.emulateMedia(media)
      await page.waitForTimeout(100)
      const sideways = await overflow(page)
      if (sideways.length > 0) process.stdout.write(`${look} ${at}: ${sideways.join(', ')}\n`)
      await page.screenshot({ path: path.join(out, look, `${fileOf(at)}.png`), animations: 'disabled', caret: 'hide' })
    }
  }
  await page.emulateMedia({ contrast: 'no-preference' })
}
