-- The catalogue a new festival starts with; an admin edits it in the back office. Prices in US dollars.

insert into public.products (id, kind, name, description, price, current_inventory, total_inventory) values
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001', 'ticket', 'General Admission',
   'All day on the grounds: every stage, the cook-off, the slab parade and the marketplace.', 45.00, 4000, 4000),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1002', 'ticket', 'VIP',
   'Shaded front-of-stage deck, the Purple Room lounge, an express gate and general parking.', 150.00, 500, 500),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1003', 'ticket', 'Youth (10 to 17)',
   'The full day for ages 10 to 17. Children under 10 are free with a ticketed adult.', 20.00, 1000, 1000),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2001', 'parking', 'General Parking',
   'One vehicle in the festival lots, a short walk from the main entrance.', 25.00, 1500, 1500),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2002', 'parking', 'Preferred Parking',
   'One vehicle in the first rows beside the main entrance.', 60.00, 200, 200);
