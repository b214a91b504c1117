// Counts what a person does on a page: clicks, fields they type in, and keys outside of fields.
import type { Page } from 'playwright'

export type Effort = { readonly clicks: number; readonly fields: number; readonly keys: number }

/** From now on, as long as the page is not loaded again. Enter in a form is a click of its button. */
export async function counting(page: Page): Promise<() => Promise<Effort>> {
  await page.evaluate(() => {
    const did = { clicks: 0, fields: new Set<EventTarget | null>(), keys: 0 }
    Object.assign(window, { did })
    const typed = 'input:not([type=checkbox], [type=radio]), textarea'
    // A key that clicks a button for its user is no click.
    document.addEventListener('click', ({ isTrusted }) => isTrusted && did.clicks++, true)
    document.addEventListener(
      'input',
      ({ target }) => target instanceof HTMLElement && target.matches(typed) && did.fields.add(target),
      true,
    )
    const modifiers = new Set(['Shift', 'Control', 'Meta', 'Alt'])
    document.addEventListener(
      'keydown',
      ({ key, target }) => {
        const typing = target instanceof HTMLElement && target.matches(typed)
        if (!modifiers.has(key) && (!typing || key.length > 1)) did.keys++
      },
      true,
    )
  })
  return () =>
    page.evaluate(() => {
      const { did } = window as unknown as { did: { clicks: number; fields: Set<unknown>; keys: number } }
      return { clicks: did.clicks, fields: did.fields.size, keys: did.keys }
    })
}
