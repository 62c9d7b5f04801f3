import {FLAG, fields, INTEGER, listOf, NUMBER, orNull, type Schema, TEXT} from './schema.ts';

// What billing answers hold, as the OpenAPI document tells it.

export const USAGE = fields({
  resource_id: INTEGER,
  resource_type: {type: 'string', enum: ['vm', 'volume']},
  name: TEXT,
  organization_id: INTEGER,
  bill_per_minute: {type: 'number', nullable: true, description: 'Dollars; null once terminated.'},
  create_time: TEXT,
  terminate_time: orNull(TEXT),
  total_up_time: {type: 'number', description: 'Minutes.'},
  total_bill: {type: 'number', description: 'Dollars.'},
  active: FLAG,
  exclude_billing: FLAG,
});

export const CREDIT = fields({credit: NUMBER, threshold: NUMBER, can_create_instance: FLAG});

const GRAPH: Schema = listOf(fields({datetime: TEXT, value: NUMBER}));
const ATTRIBUTES = fields(
  {id: TEXT},
  {infrahub_id: INTEGER, resource_name: TEXT, status: TEXT, contract_id: orNull(INTEGER)},
);

/** Records in which the key of the whole comes once more; each holds what it is about and its figures. */
export const HISTORY = fields(
  {
    org_id: INTEGER,
    billing_history: listOf(
      fields({
        attributes: ATTRIBUTES,
        metrics: fields({}, {incurred_bill: NUMBER, non_discounted_bill: NUMBER, incurred_bill_graph: GRAPH}),
      }),
    ),
    total_count: INTEGER,
  },
  {
    granularity: {type: 'integer', description: 'Seconds.'},
    pagination: fields({page: INTEGER, per_page: INTEGER, pages: INTEGER}),
  },
);

export const BILLING_EVENT = fields({
  event: TEXT,
  start: TEXT,
  event_duration: {type: 'number', description: 'Seconds.'},
  price_per_hour: NUMBER,
  total_cost: NUMBER,
});

export const LAST_DAY = fields({
  instances_cost: NUMBER,
  volumes_cost: NUMBER,
  clusters_cost: NUMBER,
  total_cost: NUMBER,
});

export const THRESHOLD = fields({
  id: INTEGER,
  threshold: NUMBER,
  subscribed: FLAG,
  interface_title: TEXT,
  interface_tooltip: TEXT,
});

export const PAYMENT = fields({payment_id: TEXT, amount: NUMBER, currency: TEXT, status: TEXT, created_at: TEXT});

export const PRICE = fields({
  id: INTEGER,
  name: TEXT,
  value: {type: 'string', description: 'Dollars an hour, in decimal or with an exponent: `0E-9`.'},
  original_value: TEXT,
  discount_applied: FLAG,
  start_time: TEXT,
  end_time: orNull(TEXT),
});

const PRICED_PART = fields({
  name: TEXT,
  type: TEXT,
  amount: NUMBER,
  rate: NUMBER,
  discounted_rate: NUMBER,
  price: NUMBER,
  actual_price: NUMBER,
});
export const CALCULATED_BILL = fields({
  org_id: INTEGER,
  resource: fields({
    infrahub_id: INTEGER,
    name: TEXT,
    type: TEXT,
    status: TEXT,
    price: NUMBER,
    actual_price: NUMBER,
    resources: listOf(PRICED_PART),
  }),
});

export const ALLOCATION = fields({
  id: TEXT,
  org_id: INTEGER,
  status: TEXT,
  total_gpu_allocation: INTEGER,
  granularity: INTEGER,
  allocated_gpu_count_graph: GRAPH,
});

export const CONTRACT = fields({
  id: INTEGER,
  org_id: INTEGER,
  created_at: TEXT,
  start_date: TEXT,
  end_date: TEXT,
  status: TEXT,
  description: TEXT,
  expiration_policy: INTEGER,
  discounts: listOf(
    fields({
      id: INTEGER,
      resource_name: TEXT,
      resource_id: INTEGER,
      resource_count: INTEGER,
      remaining_count: INTEGER,
      discount_type: {type: 'string', enum: ['flat', 'percent']},
      discount_amount: orNull(NUMBER),
      discount_percent: orNull(NUMBER),
      discount_status: TEXT,
      discount_code: orNull(TEXT),
    }),
  ),
});
