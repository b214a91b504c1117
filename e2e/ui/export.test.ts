// The export wizard: what moves and what stays, the folder as a download, a document brought in, and the way back.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { barriers, hasBrowser, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({
  ALLOW_PRIVATE_IPS: 'true',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
})
const must = async (method: string, path: string, body: object): Promise<void> => {
  const { status, text } = await gateway().admin(path, { method, body })
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
}
/** Registered by hand, so no server is asked. */
const backend = (name: string, host: string) => ({
  name,
  base_url: `http://${host}:50909/`,
  tools: [{ name: 'look', method: 'GET', endpoint: '/look', description: 'Looks' }],
})

describe.skipIf(!hasBrowser)(`the export page (${where})`, () => {
  it('sorts what moves, and gives the folder without what was unticked', async () => {
    await must('POST', '/register', backend('here', '127.0.0.1'))
    await must('POST', '/register', backend('inside', '10.1.2.3'))
    await must('POST', '/register', backend('spare', '10.1.2.4'))
    await must('PUT', '/admin-api/clients/inside/upstream-auth', { type: 'bearer', token: 'not-for-export' })
    await must('POST', '/admin-api/bundles', { name: 'shelf', tools: [{ client: 'inside', tool: 'look' }] })
    const page = await visitAs('admin', '/admin/export')
    const group = (name: string) => page.getByRole('region', { name })
    await group('Not exportable').getByText('a server cannot reach it').waitFor()
    await group('Transfers unchanged').getByText('shelf').waitFor()
    await group('Needs a value').getByText('GANTRY_SECRET_INSIDE_TOKEN').waitFor()
    await page.getByRole('checkbox', { name: 'Include spare' }).click()
    const preview = page.getByLabel('gantry.yaml', { exact: true })
    await preview.getByText('$env: GANTRY_SECRET_INSIDE_TOKEN').waitFor()
    // What was ticked before is on screen until the folder was made again.
    await soon(() => preview.textContent()).not.toContain('spare')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    const zip = readFileSync(await download.path()).toString('latin1')
    for (const file of ['gantry.yaml', '.env.example', 'compose.yaml', 'README.md', 'gantry.schema.json'])
      expect(zip).toContain(`gantry-config/${file}`)
    expect(zip).not.toContain('not-for-export')
  })

  it('brings in the items that are ticked, with their changes in words', async () => {
    const page = await visitAs('admin', '/admin/export?view=import')
    const bundle = {
      name: 'shelf',
      tools: [
        { client: 'inside', tool: 'look' },
        { client: 'spare', tool: 'look' },
      ],
    }
    const document = { version: 1, teams: [{ name: 'Wanted' }, { name: 'Unwanted' }], bundles: [bundle] }
    await page.getByLabel('Configuration', { exact: true }).fill(JSON.stringify(document))
    await page.getByRole('button', { name: 'Preview changes' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByRole('checkbox', { name: 'Change bundle shelf' }).waitFor()
    await preview.getByText('+ is spare__look').waitFor()
    await preview.getByRole('checkbox', { name: 'Add team Unwanted' }).click()
    await preview.getByText('2 of 3 selected').waitFor()
    expect(await barriers(page)).toEqual([])
    await preview.getByRole('checkbox', { name: 'Apply the weaker settings' }).click()
    await page.getByRole('button', { name: 'Import 2 of 3' }).click()
    await page.getByRole('region', { name: 'Changes' }).getByText('/teams/Wanted').waitFor()
    const { json } = await gateway().admin('/admin-api/teams')
    const { items } = json as { items: { name: string }[] }
    expect(items.map(({ name }) => name)).toEqual(['Wanted'])
  })

  it('brings a document in after it was seen, and goes back', async () => {
    const page = await visitAs('admin', '/admin/export?view=import')
    await page.getByLabel('Configuration', { exact: true }).fill('version: 1\nteams:\n  - name: Painters\n')
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('region', { name: 'Preview' }).getByText('Add team Painters').waitFor()
    expect(JSON.stringify((await gateway().admin('/admin-api/teams')).json)).not.toContain('Painters')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('region', { name: 'Changes' }).getByText('/teams/Painters').waitFor()
    await page.getByRole('tab', { name: 'Snapshots' }).click()
    await page.getByRole('row').filter({ hasText: 'before an import' }).first().click()
    const sheet = page.getByRole('dialog', { name: 'Before an import' })
    await sheet.getByText('/teams/Painters').waitFor()
    await sheet.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('row').filter({ hasText: 'before a restore' }).waitFor()
    expect(JSON.stringify((await gateway().admin('/admin-api/teams')).json)).not.toContain('Painters')
  })

  it('says by name what is wrong with a document', async () => {
    const page = await visitAs('admin', '/admin/export?view=import')
    await page
      .getByLabel('Configuration', { exact: true })
      .fill('version: 1\nconsumers: [{ name: ci, monthlyQuota: many }]')
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('alert').getByText('consumers.ci.monthlyQuota').waitFor()
  })
})
