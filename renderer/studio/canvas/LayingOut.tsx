// Progress and cancellation of a layout; shown only when it takes long.
import { Panel } from '@xyflow/react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { counted } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { useHand } from './hand.ts'

export function LayingOut() {
  const laying = useHand((state) => state.laying)
  if (!laying) return null
  return (
    <Panel
      position="top-center"
      className="pop float flex items-center gap-3 px-3 py-1.5 text-xs whitespace-nowrap transition-opacity delay-300 starting:opacity-0"
    >
      <span role="status">{t('Laying out {nodes}', { nodes: counted(laying.nodes, 'node') })}</span>
      <ProgressBar label={t('Layout')} value={laying.share} />
      <Button size="sm" look="quiet" onClick={laying.stop}>
        {t('Cancel')}
      </Button>
    </Panel>
  )
}
