import {Command} from 'commander';
import {alertingRules} from '../export/alerting-rules.ts';
import {dashboard} from '../export/dashboard.ts';
import {type BuildCommand, print} from './command-io.ts';
import {EXIT} from './exit-codes.ts';
import {yamlText} from './yaml-text.ts';

const RULES_HEAD = '# Made by skydeck exporter rules.\n';

/** `skydeck exporter rules`: the alerts of triage for Prometheus. */
export const rulesCommand: BuildCommand = (io, end) =>
  new Command('rules').description('Prints alerting rules for Prometheus.').action(async () => {
    await print(io, `${RULES_HEAD}${yamlText(alertingRules(), {showsSecrets: true})}`);
    end(EXIT.done);
  });

/** `skydeck exporter dashboard`: a dashboard that Grafana imports. */
export const dashboardCommand: BuildCommand = (io, end) =>
  new Command('dashboard').description('Prints a dashboard for Grafana, as JSON.').action(async () => {
    await print(io, `${JSON.stringify(dashboard(), null, 2)}\n`);
    end(EXIT.done);
  });
