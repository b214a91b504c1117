// The instances of one database in the browser: which one this is, and how it leaves the rotation and returns.
import { describe, expect, it } from 'vitest'
import { NEAR } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, intercept, openPage, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway(NEAR)
const readiness = async (): Promise<number> => (await gateway().ask('/readyz?for=traffic')).status

describe.skipIf(!hasBrowser)(`instances (${where})`, () => {
  it('are listed with their state, and one is drained and returned', async () => {
    const page = await visitAs('admin', '/admin/instances')
    const row = page.getByRole('row').filter({ hasText: 'this one' })
    await row.getByText('serving').waitFor()
    await row.getByText('leader').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(await readiness()).toBe(200)

    await row.getByRole('button', { name: /^Drain / }).click()
    await page.getByRole('button', { name: 'Drain', exact: true }).click()
    await row.getByText('draining').waitFor()
    await expect.poll(readiness).toBe(503)

    await row.getByRole('button', { name: /^Resume / }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await row.getByText('serving').waitFor()
    await expect.poll(readiness).toBe(200)

    // Without Redis, as `fleet-limits` has it answered.
    await intercept(page, '**/admin-api/instances?*', async (route) => {
      const answer = await route.fetch()
      const { items, ...rest } = (await answer.json()) as { items: object[] } // by the contract
      await route.fulfill({
        response: answer,
        json: { ...rest, items: items.map((item) => ({ ...item, limitsDegraded: 'share' })) },
      })
    })
    await row.getByText('limits: share').waitFor()

    // One of three is behind, as `fleet-registry` has it answered.
    await intercept(page, '**/admin-api/overview*', async (route) => {
      const answer = await route.fetch()
      const overview = (await answer.json()) as object // by the contract
      await route.fulfill({ response: answer, json: { ...overview, fleet: { instances: 3, oldest: 6, newest: 7 } } })
    })
    await openPage(page, 'Overview')
    await page.getByText('3 instances, configuration 6 to 7').waitFor()
  })
})
