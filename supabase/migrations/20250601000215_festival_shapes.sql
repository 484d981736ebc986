-- What a section of the festival's facts and texts may contain, and what is wrong with one.

-- The bounds of each section, in the order of the form. `npm run generate` writes them to contract/festival/section-shapes, which the
-- site's form reads. The language of shapes is described in contract/festival/shape. Not jsonb, which would lose the order.
create function public.festival_shapes() returns json language sql immutable as $$ select $json${
  "facts": {
    "type": "fields",
    "fields": {
      "title": {"type": "text", "max": 60},
      "tagline": {"type": "text", "max": 60},
      "description": {"type": "text", "max": 300},
      "organizer": {"type": "text", "max": 60},
      "starts_at": {
        "type": "text",
        "max": 16,
        "pattern": "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]",
        "like": "a date and a time"
      },
      "ends_at": {
        "type": "text",
        "max": 16,
        "pattern": "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]",
        "like": "a date and a time"
      },
      "place": {"type": "text", "max": 60},
      "street": {"type": "text", "max": 80},
      "city": {"type": "text", "max": 40},
      "region": {"type": "text", "max": 20},
      "postal_code": {"type": "text", "max": 12},
      "email": {
        "type": "text",
        "max": 120,
        "format": "email",
        "like": "an email address like hello@festival.example"
      },
      "phone": {"type": "text", "max": 24, "pattern": "[0-9+(][0-9 ().-]{6,23}", "like": "a phone number like (713) 555-0127"},
      "transfer_days_before": {"type": "number", "min": 0, "max": 365},
      "code": {
        "type": "text",
        "max": 30,
        "pattern": "[a-z][a-z0-9]*(-[a-z0-9]+)+",
        "like": "small letters, digits and a hyphen, like hcf-2025"
      },
      "status": {"type": "choice", "of": ["planned", "moved", "cancelled"]},
      "notice": {"type": "text", "max": 300, "optional": true}
    }
  },
  "home": {
    "type": "fields",
    "fields": {
      "lead": {"type": "text", "max": 160},
      "stats": {
        "type": "list",
        "max": 6,
        "of": {"type": "fields", "fields": {"figure": {"type": "text", "max": 8}, "label": {"type": "text", "max": 20}}}
      },
      "about": {"type": "text", "max": 300},
      "activities": {
        "type": "list",
        "max": 6,
        "of": {
          "type": "fields",
          "fields": {
            "picture": {"type": "choice", "of": ["bbq", "market", "dancing", "slabs", "bull"]},
            "title": {"type": "text", "max": 48},
            "description": {"type": "text", "max": 240}
          }
        }
      },
      "days": {"type": "list", "max": 4, "of": {"type": "text", "max": 16}},
      "join_title": {"type": "text", "max": 48},
      "join_lead": {"type": "text", "max": 160}
    }
  },
  "schedule": {
    "type": "fields",
    "fields": {
      "summary": {"type": "text", "max": 200},
      "lead": {"type": "text", "max": 200},
      "entries": {
        "type": "list",
        "max": 200,
        "of": {
          "type": "fields",
          "fields": {
            "time": {"type": "text", "max": 8, "pattern": "(1[0-2]|[1-9]):[0-5][0-9] (AM|PM)", "like": "a time like 6:30 PM"},
            "title": {"type": "text", "max": 80},
            "performer": {"type": "text", "max": 80, "optional": true},
            "location": {"type": "text", "max": 48},
            "duration": {"type": "number", "min": 1, "max": 1440},
            "type": {"type": "choice", "of": ["music", "food", "activity"]}
          }
        }
      },
      "notes": {"type": "list", "max": 12, "of": {"type": "text", "max": 240}}
    }
  },
  "faq": {
    "type": "fields",
    "fields": {
      "lead": {"type": "text", "max": 200},
      "groups": {
        "type": "list",
        "max": 12,
        "of": {
          "type": "fields",
          "fields": {
            "title": {"type": "text", "max": 60},
            "questions": {
              "type": "list",
              "max": 40,
              "of": {
                "type": "fields",
                "fields": {"question": {"type": "text", "max": 160}, "answer": {"type": "text", "max": 1500, "lines": true}}
              }
            }
          }
        }
      }
    }
  },
  "map": {
    "type": "fields",
    "fields": {
      "summary": {"type": "text", "max": 200},
      "hours": {
        "type": "list",
        "max": 5,
        "of": {"type": "fields", "fields": {"day": {"type": "text", "max": 20}, "hours": {"type": "text", "max": 24}}}
      },
      "areas": {
        "type": "list",
        "max": 5,
        "of": {
          "type": "fields",
          "fields": {
            "place": {"type": "choice", "of": ["main-stage", "food-court", "purple-room", "vendor-area", "main-entrance"]},
            "name": {"type": "text", "max": 16},
            "description": {"type": "text", "max": 300},
            "tip": {"type": "text", "max": 160, "optional": true}
          }
        },
        "unique": "place"
      },
      "amenities": {
        "type": "list",
        "max": 8,
        "of": {
          "type": "fields",
          "fields": {
            "sign": {"type": "choice", "of": ["restrooms", "first-aid", "water", "charging"]},
            "text": {"type": "text", "max": 80}
          }
        }
      }
    }
  },
  "tickets": {
    "type": "fields",
    "fields": {
      "lead": {"type": "text", "max": 300},
      "included": {
        "type": "list",
        "max": 10,
        "of": {
          "type": "fields",
          "fields": {
            "icon": {"type": "choice", "of": ["music", "food", "cars", "market", "dance"]},
            "title": {"type": "text", "max": 48},
            "text": {"type": "text", "max": 200}
          }
        }
      },
      "questions": {
        "type": "list",
        "max": 10,
        "of": {
          "type": "fields",
          "fields": {"question": {"type": "text", "max": 160}, "answer": {"type": "text", "max": 800, "lines": true}}
        }
      },
      "at_a_glance": {"type": "list", "max": 6, "of": {"type": "text", "max": 80}}
    }
  },
  "about": {
    "type": "fields",
    "fields": {
      "lead": {"type": "text", "max": 300},
      "mission": {"type": "text", "max": 200},
      "mission_more": {"type": "text", "max": 800, "lines": true},
      "organizers": {"type": "list", "max": 4, "of": {"type": "text", "max": 600, "lines": true}},
      "team": {
        "type": "list",
        "max": 6,
        "of": {
          "type": "fields",
          "fields": {
            "name": {"type": "text", "max": 40},
            "role": {"type": "text", "max": 60},
            "words": {"type": "text", "max": 300},
            "portrait": {"type": "choice", "of": ["hoops", "hat"]}
          }
        }
      },
      "impact": {
        "type": "list",
        "max": 6,
        "of": {"type": "fields", "fields": {"figure": {"type": "text", "max": 8}, "words": {"type": "text", "max": 120}}}
      },
      "impact_more": {"type": "text", "max": 800, "lines": true}
    }
  },
  "vendors": {
    "type": "fields",
    "fields": {
      "lead": {"type": "text", "max": 300},
      "benefits": {
        "type": "list",
        "max": 8,
        "of": {"type": "fields", "fields": {"title": {"type": "text", "max": 48}, "text": {"type": "text", "max": 200}}}
      }
    }
  },
  "sponsors": {
    "type": "fields",
    "fields": {
      "lead": {"type": "text", "max": 300},
      "benefits": {
        "type": "list",
        "max": 8,
        "of": {"type": "fields", "fields": {"title": {"type": "text", "max": 48}, "text": {"type": "text", "max": 200}}}
      },
      "levels": {
        "type": "list",
        "max": 4,
        "of": {
          "type": "fields",
          "fields": {
            "level": {"type": "choice", "of": ["silver", "gold", "platinum", "custom"]},
            "price": {"type": "text", "max": 20},
            "perks": {"type": "list", "max": 10, "of": {"type": "text", "max": 80}}
          }
        },
        "unique": "level"
      },
      "sponsors": {
        "type": "list",
        "max": 40,
        "of": {
          "type": "fields",
          "fields": {
            "name": {"type": "text", "max": 60},
            "logo": {
              "type": "fields",
              "picture": "logo",
              "optional": true,
              "fields": {
                "file": {
                  "type": "text",
                  "max": 41,
                  "pattern": "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.](jpg|png|webp)",
                  "like": "nothing: choose a picture"
                },
                "width": {"type": "number", "min": 1, "max": 640},
                "height": {"type": "number", "min": 1, "max": 320}
              }
            }
          }
        }
      }
    }
  },
  "sharing": {
    "type": "fields",
    "fields": {
      "card": {
        "type": "fields",
        "picture": "card",
        "optional": true,
        "fields": {
          "file": {
            "type": "text",
            "max": 41,
            "pattern": "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.](jpg|png|webp)",
            "like": "nothing: choose a picture"
          },
          "alt": {"type": "text", "max": 200}
        }
      }
    }
  }
}$json$::json $$;

-- Facts that a text may name in braces, so that a moved date is updated everywhere: "Gates open at {opens}."
create function public.fact_names() returns text[] language sql immutable
return array['festival', 'tagline', 'organizer', 'date', 'opens', 'closes', 'hours', 'place', 'city', 'email', 'phone', 'transfer_days'];

-- What is wrong with a text of this shape, or null.
create function public.text_problem(p_text text, p_shape jsonb, p_names text[]) returns text
language plpgsql immutable set search_path = '' as $$
declare
  unknown text;
begin
  if p_text = '' and p_shape ? 'empty' then return null; end if;
  if p_text ~ '^\s*$' then return 'Fill this in.'; end if;
  if length(p_text) > (p_shape ->> 'max')::integer then
    return format('Use at most %s characters. This has %s.', p_shape ->> 'max', length(p_text));
  end if;
  -- Control characters, and those that change the reading direction of everything after them.
  if p_text ~ '[\u0001-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]' or (not p_shape ? 'lines' and p_text ~ '\n') then
    return 'This has a character that cannot be shown, or a line break.';
  end if;
  if p_text !~ ('^(?:' || (p_shape ->> 'pattern') || ')$') or p_shape ->> 'format' = 'email' and not public.is_email(p_text) then return format('Enter %s.', p_shape ->> 'like'); end if;
  select named[1] into unknown from regexp_matches(p_text, '\{([a-z_]+)\}', 'g') named where named[1] <> all (p_names) limit 1;
  return case when unknown is not null then format('{%s} is not a fact of the festival.', unknown) end;
end $$;

-- The first thing that is wrong with a value of this shape, as 'path: what', or null. contract/festival/shape finds all of them.
create function public.shape_problem(p_value jsonb, p_shape jsonb, p_names text[], p_path text default '') returns text
language plpgsql immutable set search_path = '' as $$
declare
  type constant text := p_shape ->> 'type';
  problem text;
begin
  if type = 'text' then
    problem := case when jsonb_typeof(p_value) is distinct from 'string' then 'A text is missing.'
      else public.text_problem(p_value #>> '{}', p_shape, p_names) end;
  elsif type = 'number' then
    problem := case when jsonb_typeof(p_value) is distinct from 'number' or p_value::numeric <> trunc(p_value::numeric)
        or p_value::numeric not between (p_shape ->> 'min')::numeric and (p_shape ->> 'max')::numeric
      then format('Enter a whole number from %s to %s.', p_shape ->> 'min', p_shape ->> 'max') end;
  elsif type = 'choice' then
    problem := case when jsonb_typeof(p_value) is distinct from 'string' or not p_shape -> 'of' @> p_value
      then 'Choose one from the list.' end;
  elsif type = 'list' then
    if jsonb_typeof(p_value) is distinct from 'array' then problem := 'A list is missing.';
    elsif jsonb_array_length(p_value) > (p_shape ->> 'max')::integer then
      problem := format('Limit: %s here.', p_shape ->> 'max');
    else
      select wrong into problem from jsonb_array_elements(p_value) with ordinality as items (item, nth),
          public.shape_problem(item, p_shape -> 'of', p_names, p_path || (nth - 1) || '.') wrong
        where wrong is not null order by nth limit 1;
      if problem is not null or not p_shape ? 'unique' then return problem; end if;
      select p_path || (max(nth) - 1) || '.' || (p_shape ->> 'unique') || ': This is already in the list.' into problem
        from jsonb_array_elements(p_value) with ordinality as items (item, nth)
        group by item -> (p_shape ->> 'unique') having count(*) > 1 limit 1;
      return problem;
    end if;
  elsif jsonb_typeof(p_value) is distinct from 'object' then problem := 'Fields are missing.';
  else
    select wrong into problem from (
      select p_path || name || ': This field does not exist.' as wrong from jsonb_object_keys(p_value) name
        where not p_shape -> 'fields' ? name
      union all
      select public.shape_problem(p_value -> name, field, p_names, p_path || name || '.')
        from jsonb_each(p_shape -> 'fields') fields (name, field) where p_value ? name or not field ? 'optional') as problems
      where wrong is not null limit 1;
    return problem;
  end if;
  return rtrim(p_path, '.') || ': ' || problem;
end $$;

revoke execute on function public.festival_shapes(), public.fact_names(), public.text_problem(text, jsonb, text[]),
  public.shape_problem(jsonb, jsonb, text[], text) from public, anon, authenticated;
