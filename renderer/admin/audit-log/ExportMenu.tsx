// Exports the filtered log with its verdict as HTML, CSV or JSON.
import { Braces, Download, FileText, Sheet } from 'lucide-react'
import { useState } from 'react'
import { mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { saveFile } from '../../ui/save-file.ts'
import type { AuditFilters } from './filters.ts'

const FORMATS = [
  { format: 'html', label: t('Report (HTML)'), icon: FileText, type: 'text/html' },
  { format: 'csv', label: t('Spreadsheet (CSV)'), icon: Sheet, type: 'text/csv' },
  { format: 'json', label: t('Data (JSON)'), icon: Braces, type: 'application/json' },
] as const

export function ExportMenu({ filters }: { readonly filters: AuditFilters }) {
  const [busy, setBusy] = useState(false)
  if (!mayUse(useActor(), 'auditor')) return null

  async function save({ format, type }: (typeof FORMATS)[number]) {
    setBusy(true)
    try {
      const text = await api.auditLog.export({ query: { ...filters, format } })
      const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
      saveFile(`gantry-audit-${stamp}.${format}`, type, text)
      notifyDone(t('The audit log was exported'))
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Menu
      trigger={
        <Button busy={busy}>
          <Download />
          {t('Export')}
        </Button>
      }
    >
      {FORMATS.map((each) => (
        <MenuItem key={each.format} icon={<each.icon />} onSelect={() => void save(each)}>
          {each.label}
        </MenuItem>
      ))}
    </Menu>
  )
}
