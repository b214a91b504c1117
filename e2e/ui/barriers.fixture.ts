// What on a page is a barrier to a user of a screen reader, of the keyboard alone, or of weak eyes: as axe finds it.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright'

/** Read once it is needed. */
let source: string | undefined
const axeSource = (): string =>
  (source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))

type Rule = { readonly id: string; readonly impact: string; readonly enabled: boolean; readonly tags: string[] }
type AxeWindow = {
  readonly axe: {
    readonly _audit: { readonly rules: readonly Rule[] }
    run(context: Document, options: object): Promise<AxeResults>
  }
}

/** What axe calls serious or critical, one line each; other rules would cost a third of its time. */
export async function barriers(page: Page, of: 'all' | 'colours' = 'all'): Promise<string[]> {
  // Through the debugger, which the page's policy does not bind.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource())
  const { violations } = await page.evaluate((which) => {
    const { axe } = window as unknown as AxeWindow
    const values = axe._audit.rules
      .filter(({ enabled, tags }) => enabled && !tags.includes('experimental'))
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .filter(({ tags }) => which === 'all' || tags.includes('cat.color'))
      .map(({ id }) => id)
    if (values.length === 0) throw new Error('axe has no such rules')
    return axe.run(document, { resultTypes: ['violations'], runOnly: { type: 'rule', values } })
  }, of)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}\n${failureSummary}`),
  )
}
