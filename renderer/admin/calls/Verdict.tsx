// Why a call was refused, as it was at that moment.
import type { CallRow } from '#contract'
import { t } from '../../language/language.ts'
import { Facts } from '../../ui/Facts.tsx'

type Given = NonNullable<CallRow['verdict']>

export function Verdict({ call, verdict }: { readonly call: CallRow; readonly verdict: Given }) {
  const { text, setting, value, fix, address, unrecorded } = verdict
  return (
    <Facts
      title={call.tool ? t('At that moment') : t('Why it was refused')}
      facts={[
        ...(call.tool ? [] : [{ name: t('Message'), value: text }]),
        { name: t('Gate'), value: call.gate && <code className="font-mono text-xs">{call.gate}</code> },
        ...(setting === null
          ? []
          : [
              {
                name: t('Setting at that time'),
                value: (
                  <code className="font-mono text-xs">
                    {setting}
                    {value !== null && ` = ${value}`}
                  </code>
                ),
              },
            ]),
        ...(address === null ? [] : [{ name: t('From'), value: <code className="font-mono text-xs">{address}</code> }]),
        ...(unrecorded === null
          ? []
          : [{ name: t('Not recorded'), value: t('{unrecorded} more requests', { unrecorded }) }]),
        ...(fix === null || call.tool ? [] : [{ name: t('What to do'), value: fix }]),
      ]}
    />
  )
}
