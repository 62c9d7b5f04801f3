import type {ReactNode} from 'react';
import {contracts} from '../../resources/contracts.ts';
import {contractsFeed} from '../../state/contracts.ts';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import type {OpenDetail, PaneContext} from '../pane.ts';
import {linesInSight, searchLabel} from '../scroll.ts';
import {contractList, contractsAt} from './lists.ts';
import type {BillingView} from './view.ts';

type Context = PaneContext<BillingView>;

/** Cells of the detail's edges. */
const EDGE_CELLS = 4;

/** The contract under the cursor, where it takes the whole pane. */
export function openDetail(context: Context): OpenDetail<BillingView> | undefined {
  const {scene, view} = context;
  const row = contractList.rowUnderCursor(contractsAt(context));
  if (!view.isZoomed || row === undefined) return undefined;
  const lines = contracts.detail?.(row, scene, scene.size.columns - EDGE_CELLS) ?? [];
  return {
    page: {lines, rows: Math.max(0, scene.size.rows - 2)},
    scroll: view.scroll,
    withScroll: scroll => ({...view, scroll}),
  };
}

export function ContractDetail({detail, ...context}: Context & {readonly detail: OpenDetail<BillingView>}): ReactNode {
  const {scene} = context;
  const {page, scroll} = detail;
  const {right = '', ...frame} = feedFrame(scene, contractsFeed);
  const found = searchLabel(scroll, page);
  const contract = contractList.rowUnderCursor(contractsAt(context))?.contract;
  return (
    <TitledBox
      {...frame}
      title={contract === undefined ? '' : `contract #${contract.id}`}
      right={[
        {text: found, tone: 'marked'},
        {text: found === '' ? right : `  ${right}`, tone: 'dim'},
      ]}
      lines={linesInSight(scroll, page).map((line): Line => [{text: ' '}, ...line])}
      width={scene.size.columns}
      height={scene.size.rows}
    />
  );
}
